/** A rule that the product broke, with what the world knows and what the product says. */
export type Violation = { rule: string; subject: string; world: unknown; product: unknown };

/** The columns of an order that the oracles compare. Money in micro-units, times in simulated ms. */
export type OrderRow = {
  id: number;
  user_id: string;
  link: string;
  status: string;
  fulfillment: string;
  charge: number;
  refunded: number;
  remains: number;
  provider_id: number;
  provider_order_id: string | null;
  created_at: number;
  updated_at: number;
};

export const FINAL = ["Completed", "Partial", "Canceled"];
