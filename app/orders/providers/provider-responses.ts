import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";

/** The result of a call to a provider. `no_response`: a timeout, a cut connection, a redirect, a 5xx, or no JSON. */
export type ProviderResponse =
  | { kind: "json"; body: unknown; raw: string; httpStatus: number }
  | { kind: "no_response"; why: string; raw: string; httpStatus: number | null };

export type AddOutcome =
  | { kind: "accepted"; providerOrderId: string }
  | { kind: "rejected"; error: string }
  // The provider may have the order, and the convention has no lookup by our reference.
  | { kind: "unknown"; why: string };

export function readAddResponse(response: ProviderResponse): AddOutcome {
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const { body } = response;
  if (isRecord(body) && typeof body.error === "string" && body.order === undefined) {
    return { kind: "rejected", error: body.error };
  }
  const id = isRecord(body) ? body.order : undefined;
  if ((typeof id === "string" && id.trim() !== "") || (typeof id === "number" && Number.isSafeInteger(id))) {
    return { kind: "accepted", providerOrderId: String(id).trim() };
  }
  return { kind: "unknown", why: "the response has neither an order nor an error" };
}

export type RefillOutcome =
  | { kind: "accepted"; providerRefillId: string }
  | { kind: "rejected"; error: string }
  | { kind: "unknown"; why: string };

export function readRefillResponse(response: ProviderResponse): RefillOutcome {
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const { body } = response;
  const refill = isRecord(body) ? body.refill : undefined;
  if (typeof refill === "string" || typeof refill === "number") {
    return { kind: "accepted", providerRefillId: String(refill).trim() };
  }
  // Some panels return the error in place of the id.
  const error = isRecord(refill) ? refill.error : isRecord(body) ? body.error : undefined;
  if (typeof error === "string") return { kind: "rejected", error };
  return { kind: "unknown", why: "the response has neither a refill nor an error" };
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

/**
 * Returns statuses by the provider's refill id, without entries that have an error or an unknown status. Returns null if
 * the response is not a list.
 */
export function readRefillStatuses(response: ProviderResponse): Map<string, RefillStatus> | null {
  if (response.kind === "no_response" || !Array.isArray(response.body)) return null;
  const statuses = new Map<string, RefillStatus>();
  for (const entry of response.body) {
    if (!isRecord(entry) || typeof entry.status !== "string") continue;
    const status = REFILL_SPELLINGS[entry.status.toLowerCase().replaceAll(/[\s_-]/g, "")];
    if (status) statuses.set(String(entry.refill), status);
  }
  return statuses;
}

/** Reads the response to the cancellation of one order. */
export function readCancelResponse(response: ProviderResponse): "accepted" | "rejected" | "unknown" {
  if (response.kind === "no_response") return "unknown";
  const entry: unknown = Array.isArray(response.body) ? response.body[0] : response.body;
  if (!isRecord(entry)) return "unknown";
  if (isRecord(entry.cancel) || typeof entry.error === "string") return "rejected";
  return entry.cancel === undefined ? "unknown" : "accepted";
}

export type StatusReport = { status: OrderStatus | null; remains: number | null; startCount: number | null };

/** Reads one order's entry of a status response. Returns null if it is an error. */
export function readStatusEntry(entry: unknown): StatusReport | null {
  if (!isRecord(entry) || entry.error !== undefined) return null;
  return {
    status: mapStatus(entry.status),
    remains: parseCount(entry.remains),
    startCount: parseCount(entry.start_count),
  };
}

const STATUS_SPELLINGS: Record<string, OrderStatus> = {
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

/** Maps a provider's spelling to a status. Returns null for an unknown one; the order then keeps its status. */
export function mapStatus(spelled: unknown): OrderStatus | null {
  return typeof spelled === "string"
    ? (STATUS_SPELLINGS[spelled.toLowerCase().replaceAll(/[\s_-]/g, "")] ?? null)
    : null;
}

/** Parses a count of pieces. Returns null for anything but a whole number. */
export function parseCount(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
