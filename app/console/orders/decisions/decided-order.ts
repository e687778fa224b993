import type { OrderStatus } from "#app/db/schema.server.ts";

/** The fields of an order that the staff forms need. Amounts are micro-units. */
export type DecidedOrder = {
  id: number;
  status: OrderStatus;
  fulfillment: string;
  providerId: number | null;
  providerOrderId: string | null;
  charge: number;
  refunded: number;
  quantity: number;
  runs: number;
  remains: number;
  startCount: number | null;
  updatedAt: number;
  /** Set if the order's call was cut off and it waits to be sent again. Ms since 1970. */
  resendUntil: number | null;
};
