import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";

/** What came back from a provider's API. `no_response`: a time-out, a cut connection, a 5xx, or something that is no JSON. */
export type ProviderResponse =
  | { kind: "json"; body: unknown; raw: string; httpStatus: number }
  | { kind: "no_response"; why: string; raw: string; httpStatus: number | null };

export type AddOutcome =
  | { kind: "accepted"; providerOrderId: string }
  | { kind: "rejected"; error: string }
  // The order may exist at the provider, and the convention has no look-up by our reference.
  | { kind: "unknown"; why: string };

export function readAddResponse(answer: ProviderResponse): AddOutcome {
  if (answer.kind === "no_response") return { kind: "unknown", why: answer.why };
  const { body } = answer;
  if (isRecord(body) && typeof body.error === "string" && body.order === undefined) {
    return { kind: "rejected", error: body.error };
  }
  const id = isRecord(body) ? body.order : undefined;
  if ((typeof id === "string" && id.trim() !== "") || (typeof id === "number" && Number.isSafeInteger(id))) {
    return { kind: "accepted", providerOrderId: String(id).trim() };
  }
  return { kind: "unknown", why: "the answer has neither an order nor an error" };
}

export type RefillOutcome =
  | { kind: "accepted"; providerRefillId: string }
  | { kind: "rejected"; error: string }
  | { kind: "unknown"; why: string };

export function readRefillResponse(answer: ProviderResponse): RefillOutcome {
  if (answer.kind === "no_response") return { kind: "unknown", why: answer.why };
  const { body } = answer;
  const refill = isRecord(body) ? body.refill : undefined;
  if (typeof refill === "string" || typeof refill === "number") {
    return { kind: "accepted", providerRefillId: String(refill).trim() };
  }
  // Some panels put the error where the id would be.
  const error = isRecord(refill) ? refill.error : isRecord(body) ? body.error : undefined;
  if (typeof error === "string") return { kind: "rejected", error };
  return { kind: "unknown", why: "the answer has neither a refill nor an error" };
}

const REFILL_SPELLINGS: Record<string, RefillStatus> = {
  pending: "Pending",
  inprogress: "In progress",
  processing: "In progress",
  completed: "Completed",
  rejected: "Rejected",
  canceled: "Rejected",
  cancelled: "Rejected",
};

/** By the provider's refill id. Null when the answer is no list; an entry with an error or an unseen status is left out. */
export function readRefillStatuses(answer: ProviderResponse): Map<string, RefillStatus> | null {
  if (answer.kind === "no_response" || !Array.isArray(answer.body)) return null;
  const statuses = new Map<string, RefillStatus>();
  for (const entry of answer.body) {
    if (!isRecord(entry) || typeof entry.status !== "string") continue;
    const status = REFILL_SPELLINGS[entry.status.toLowerCase().replaceAll(/[\s_-]/g, "")];
    if (status) statuses.set(String(entry.refill), status);
  }
  return statuses;
}

/** For one order asked to be canceled. */
export function readCancelResponse(answer: ProviderResponse): "accepted" | "rejected" | "unknown" {
  if (answer.kind === "no_response") return "unknown";
  const entry: unknown = Array.isArray(answer.body) ? answer.body[0] : answer.body;
  if (!isRecord(entry)) return "unknown";
  if (isRecord(entry.cancel) || typeof entry.error === "string") return "rejected";
  return entry.cancel === undefined ? "unknown" : "accepted";
}

export type StatusReport = { status: OrderStatus | null; remains: number | null; startCount: number | null };

/** One order out of a status answer; null where the provider answered an error in its place. */
export function readStatusEntry(entry: unknown): StatusReport | null {
  if (!isRecord(entry) || entry.error !== undefined) return null;
  return {
    status: mapStatus(entry.status),
    remains: parseCount(entry.remains),
    startCount: parseCount(entry.start_count),
  };
}

const SPELLINGS: Record<string, OrderStatus> = {
  pending: "Pending",
  processing: "Processing",
  inprogress: "In progress",
  completed: "Completed",
  complete: "Completed",
  partial: "Partial",
  partiallycompleted: "Partial",
  canceled: "Canceled",
  cancelled: "Canceled",
  refunded: "Canceled",
};

/** Null for a spelling nobody has seen: the order keeps the state it has. */
export function mapStatus(spelled: unknown): OrderStatus | null {
  return typeof spelled === "string" ? (SPELLINGS[spelled.toLowerCase().replaceAll(/[\s_-]/g, "")] ?? null) : null;
}

/** A count of pieces; null for what is missing or no whole number. */
export function parseCount(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
