import { holdReasonSentence } from "#app/console/orders/hold-reasons.ts";
import type { AuditAction } from "#app/db/schema/audit-vocabulary.ts";
import type { LedgerKind, ProviderAction } from "#app/db/schema.server.ts";
import type { OrderStep } from "#app/db/steps/order-steps.server.ts";
import { ownValue } from "#app/own-value.ts";
import type { CostChange } from "./cost-changes.server.ts";

/** One thing that happened to an order. */
export type TimelineEntry = {
  at: number;
  what: string;
  /** An amount that belongs to it, in micro-units. Signed. */
  micro?: number;
  /** Who did it, if it was a person of ours. */
  who?: string;
  /** What they wrote, or another detail. */
  note?: string;
  /** The provider's own words. */
  words?: string;
  isTrouble?: boolean;
};

/** All that is known of an order's past. What the viewer may not see is left out before. */
export type OrderPast = {
  order: { source: "web" | "api"; charge: number; createdAt: number };
  provider: string;
  steps: OrderStep[];
  /** Steps are missing: its status changed too often. */
  hasGaps: boolean;
  entries: { kind: string; amount: number; note: string; createdAt: number }[];
  costs: CostChange[];
  log: { action: string; httpStatus: number | null; response: string; createdAt: number }[];
  refills: { id: number; status: string; createdAt: number; updatedAt: number }[];
  cancellation: { status: string; createdAt: number; updatedAt: number } | null;
  audit: { action: string; actorName: string; detail: Record<string, unknown>; createdAt: number }[];
};

/** A step has whole seconds, and an action of staff the time before it was stored. */
const SAME_MS = 3000;

/** Returns what happened to an order, the newest first. What two sources tell is there once, as the one that tells more. */
export function orderTimeline(past: OrderPast): TimelineEntry[] {
  const { order, entries, costs, log, refills, cancellation, audit } = past;
  const isStaffs = (at: number, actions: RegExp) =>
    audit.some(({ action, createdAt }) => actions.test(action) && Math.abs(createdAt - at) <= SAME_MS);
  const found: TimelineEntry[] = [
    ...placedEntries(order, entries),
    ...past.steps.flatMap((step) => (isStaffs(step.at, DECISIONS) ? [] : [stepEntry(step, past.provider)])),
    ...(past.hasGaps ? [gapEntry(past.steps)] : []),
    ...entries
      .filter(
        ({ kind, amount, createdAt }) => !isCharge({ kind, amount }, order) && !isStaffs(createdAt, /^order\.refund$/),
      )
      .map(({ kind, amount, note, createdAt }) => ({
        at: createdAt,
        what: ownValue(LEDGER_TEXTS, kind) ?? kind,
        micro: amount,
        ...(note !== "" && { note }),
      })),
    ...costs.map(costEntry),
    ...log.map(({ action, httpStatus, response, createdAt }) => ({
      at: createdAt,
      what: `${past.provider} answered ${ownValue(CALL_TEXTS, action) ?? action}${httpStatus === null ? "" : ` (HTTP ${httpStatus})`}`,
      words: response === "" ? "(nothing)" : response,
    })),
    ...refills.flatMap((refill) => refillEntries(refill, isStaffs)),
    ...(cancellation ? cancellationEntries(cancellation, isStaffs) : []),
    ...audit.filter(({ action }) => action !== BULK_ACTION).map(auditEntry),
  ];
  // The sort is stable, and the sources stand in the order of cause and effect.
  return found.sort((one, other) => one.at - other.at).reverse();
}

/** The entry about many orders. Each of them has an entry of its own. */
const BULK_ACTION: AuditAction = "orders.decide";
/** Actions that are a step themselves. */
const DECISIONS = /^order\.(status|held_|cancel_accept)/;

const LEDGER_TEXTS: Record<LedgerKind, string> = {
  charge: "Charged",
  refund: "Refunded to the balance",
  topup: "Topped up",
  adjustment: "Balance adjusted",
  reversal: "Payment reversed",
};
const CALL_TEXTS: Record<ProviderAction, string> = {
  add: "when the order was sent",
  status: "when asked for the status",
  refill: "when asked for a refill",
  refill_status: "when asked about the refill",
  cancel: "when asked to cancel",
  balance: "when asked for our balance",
  services: "when asked for its catalog",
};

type Placed = OrderPast["order"];

function isCharge({ kind, amount }: { kind: string; amount: number }, { charge }: Placed): boolean {
  return kind === "charge" && -amount === charge;
}

function placedEntries(order: Placed, entries: OrderPast["entries"]): TimelineEntry[] {
  const charged = entries.find((entry) => isCharge(entry, order));
  const what = order.source === "api" ? "Placed through the API" : "Placed on the website";
  return [
    { at: order.createdAt, what: charged ? `${what} and charged` : what, ...(charged && { micro: order.charge }) },
  ];
}

function stepEntry(step: OrderStep, provider: string): TimelineEntry {
  const { at } = step;
  switch (step.kind) {
    case "status":
      return { at, what: `Status: ${step.status}` };
    case "held":
      return { at, what: `Held. ${holdReasonSentence(step.heldFor)}`, isTrouble: true };
    case "fulfillment":
      return { at, what: fulfillmentText(step.fulfillment, provider) };
    default:
      return step satisfies never;
  }
}

function fulfillmentText(fulfillment: "manual" | "queued" | "submitting" | "accepted" | "rejected", provider: string) {
  switch (fulfillment) {
    case "manual":
      return "Left to staff";
    case "queued":
      return `Waits to be sent to ${provider} again`;
    case "submitting":
      return `Sent to ${provider}`;
    case "accepted":
      return `Accepted by ${provider}`;
    case "rejected":
      return `Rejected by ${provider}`;
    default:
      return fulfillment satisfies never;
  }
}

function gapEntry(steps: OrderStep[]): TimelineEntry {
  return {
    at: steps.at(-1)?.at ?? 0,
    what: "Some steps before this one aren't kept: there were too many",
    isTrouble: true,
  };
}

function costEntry({ amount, costed, createdAt, isSum }: CostChange): TimelineEntry {
  const what = costed > 0 ? "Cost noted" : costed < 0 ? "Cost isn't known any more" : "Cost changed by";
  const note = "The provider corrected its charge in between, more than once or at a time that isn't kept.";
  return { at: createdAt, what, micro: amount, ...(isSum && { note }) };
}

type IsStaffs = (at: number, actions: RegExp) => boolean;

function refillEntries(refill: OrderPast["refills"][number], isStaffs: IsStaffs): TimelineEntry[] {
  const { id, status, createdAt, updatedAt } = refill;
  const asked = { at: createdAt, what: `Refill ${id} requested by the customer` };
  const isTold = status === "Pending" || isStaffs(updatedAt, /^order\.refill$/);
  return isTold ? [asked] : [asked, { at: updatedAt, what: `Refill ${id}: ${status}` }];
}

function cancellationEntries(
  { status, createdAt, updatedAt }: NonNullable<OrderPast["cancellation"]>,
  isStaffs: IsStaffs,
): TimelineEntry[] {
  const asked = { at: createdAt, what: "Cancellation requested by the customer" };
  const isTold = status === "Pending" || isStaffs(updatedAt, /^order\.cancel_/);
  return isTold ? [asked] : [asked, { at: updatedAt, what: `Cancellation ${status.toLowerCase()}` }];
}

function auditEntry({ action, actorName, detail, createdAt }: OrderPast["audit"][number]): TimelineEntry {
  const { reason, amount } = detail;
  return {
    at: createdAt,
    what: ownValue(ACTION_TEXTS, action)?.(detail) ?? action,
    ...(typeof amount === "number" && { micro: amount }),
    who: actorName || "Deleted account",
    ...(typeof reason === "string" && reason !== "" && { note: reason }),
  };
}

/** Text for each action of staff on an order. The compiler asks for one for each new action. */
const ACTION_TEXTS: Record<Extract<AuditAction, `order.${string}`>, (detail: Record<string, unknown>) => string> = {
  "order.status": ({ status, remains }) => `Status set: ${change(status)}; remains ${change(remains)}`,
  "order.refund": () => "Refunded by staff",
  "order.held_accepted": ({ providerOrderId, bulk }) =>
    `Decided: the provider has it, as ${providerOrderId}${together(bulk)}`,
  "order.held_refused": ({ bulk }) =>
    `Decided: the provider doesn't have it, so it was canceled and refunded${together(bulk)}`,
  "order.held_again": ({ bulk }) => `Decided: send it again${together(bulk)}`,
  "order.compare": () => "Compared with the provider, and its answer applied",
  "order.refill": ({ refill, status }) => `Refill ${refill} set: ${change(status)}`,
  "order.cancel_accept": () => "Cancellation accepted",
  "order.cancel_reject": () => "Cancellation declined",
};

function together(bulk: unknown): string {
  return bulk === undefined ? "" : ", together with others";
}

function change(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => String(one ?? "—")).join(" → ") : String(value ?? "—");
}
