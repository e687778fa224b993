/** The result of sending the order form. `nextKey` is the idempotency key that the form carries from then on. */
export type OrderResult =
  | {
      ok: true;
      orderId: number;
      serviceId: number;
      /** Micro-units. */
      charge: number;
      /** The rule that lowered the charge, which is `usual` micro-units without it. */
      lowered?: { name: string; basisPoints: number | null; usual: number };
      replayed: boolean;
      nextKey: string;
    }
  | {
      ok: false;
      /** The field that the text belongs to, or null for the form as a whole. */
      field: string | null;
      text: string;
      values: Record<string, string>;
      nextKey: string;
      /** The order with the same content that was just placed. Sending the form again places a second one. */
      duplicate?: number;
      /** The doubtful link that was sent. Sending it as `agreedLink` too orders with it. */
      doubtfulLink?: string;
      /** The balance doesn't cover the order, which is otherwise fine: where to top up, with the order in the URL. */
      topUp?: string;
      /** The database doesn't answer, so the order may have been placed. Sending the form again places none twice. */
      isUnavailable?: boolean;
    };
