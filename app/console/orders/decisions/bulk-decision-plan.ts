import type { HoldReason } from "#app/db/schema.server.ts";

/** The decisions about held orders that can be made for many at once. */
export const BULK_DECISIONS = ["again", "refund", "follow"] as const;
export type BulkDecision = (typeof BULK_DECISIONS)[number];

export const BULK_DECISION_NAMES: Record<BulkDecision, string> = {
  again: "Send again",
  refund: "Cancel and refund",
  follow: "Track",
};

export function readBulkDecision(text: string | null): BulkDecision {
  return BULK_DECISIONS.find((known) => known === text) ?? "again";
}

/** A selected order, with what a decision about it moves. Amounts are micro-units. */
export type SelectedOrder = {
  id: number;
  updatedAt: number;
  email: string | null;
  service: string;
  provider: string | null;
  isHeld: boolean;
  heldFor: HoldReason | null;
  hasFields: boolean;
  charge: number;
  /** What canceling it would refund. */
  refund: number;
  cost: number | null;
  providerOrderId: string | null;
};

/** Why an order of the selection is left alone. */
export type LeftWhy = "not_held" | "no_provider" | "no_fields";

export const LEFT_TEXTS: Record<LeftWhy, string> = {
  not_held: "not held",
  no_provider: "no provider",
  no_fields: "the customer's account and the order's link are deleted",
};

export type DecisionPlan = { rows: SelectedOrder[]; left: { id: number; why: LeftWhy }[] };

export function planDecision(selected: SelectedOrder[], decision: BulkDecision): DecisionPlan {
  const plan: DecisionPlan = { rows: [], left: [] };
  for (const order of selected) {
    const why = leftWhy(order, decision);
    if (why === null) plan.rows.push(order);
    else plan.left.push({ id: order.id, why });
  }
  return plan;
}

function leftWhy({ isHeld, provider, hasFields }: SelectedOrder, decision: BulkDecision): LeftWhy | null {
  if (!isHeld) return "not_held";
  if (decision === "refund") return null;
  if (provider === null) return "no_provider";
  return decision === "again" && !hasFields ? "no_fields" : null;
}

/** Returns what the orders of a plan add up to. `unknown`: those whose cost nobody knows. */
export function sumsOf(rows: Pick<SelectedOrder, "charge" | "refund" | "cost">[]) {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    count: rows.length,
    charges: sum(rows.map(({ charge }) => charge)),
    refunds: sum(rows.map(({ refund }) => refund)),
    costs: sum(rows.map(({ cost }) => cost ?? 0)),
    unknown: rows.filter(({ cost }) => cost === null).length,
  };
}
