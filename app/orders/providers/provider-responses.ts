import type { OrderStatus, RefillStatus } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { MICRO } from "#app/product.ts";
import { type DeferralCause, deferralOfStatus, isDeferral, meaningOfError } from "./provider-errors.ts";

/** The result of a call to a provider. `no_response`: a timeout, a cut connection, a redirect, a 5xx, or no JSON. */
export type ProviderResponse = (
  | { kind: "json"; body: unknown; raw: string; httpStatus: number }
  | { kind: "no_response"; why: string; raw: string; httpStatus: number | null; isTooLong?: boolean }
) & {
  /** With HTTP 429: no call is welcome for so long. */
  retryAfterMs?: number;
};

export type AddOutcome =
  | { kind: "accepted"; providerOrderId: string }
  /** This order can't be delivered, whenever it is sent. */
  | { kind: "rejected"; error: string }
  /** The provider took no order, and may take this one later. */
  | { kind: "deferred"; cause: DeferralCause }
  // The provider may have the order, and the convention has no lookup by our reference.
  | { kind: "unknown"; why: string };

export function readAddResponse(response: ProviderResponse): AddOutcome {
  const body = response.kind === "json" && isRecord(response.body) ? response.body : {};
  const providerOrderId = parseProviderId(body.order);
  if (providerOrderId !== null) return { kind: "accepted", providerOrderId };
  const cause = deferralOfStatus(response.httpStatus);
  if (cause) return { kind: "deferred", cause };
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const { error } = body;
  if (typeof error === "string" && (body.order === undefined || body.order === null)) {
    const meaning = meaningOfError(error);
    // Without its words, which may quote the customer's link: this is logged.
    if (meaning === null) return { kind: "unknown", why: "unknown error" };
    return meaning === "order" ? { kind: "rejected", error } : { kind: "deferred", cause: meaning };
  }
  return { kind: "unknown", why: "the response has neither a readable order id nor an error" };
}

/** Numbers, UUIDs and short codes. A comma would make two ids of one in a status call. */
const PROVIDER_ID = /^[a-z\d][\w.-]{0,63}$/i;

/** Returns the id of an order or refill. Returns null for 0, negative numbers, and anything that can't be asked for. */
export function parseProviderId(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  const id = typeof value === "string" ? value.trim() : "";
  return PROVIDER_ID.test(id) && !/^0+$/.test(id) ? id : null;
}

/** A sign, at most nine digits and any decimals. Some panels group thousands by commas. */
const BALANCE = /^-?\d{1,9}(\.\d+)?$/;

/** Returns our funds at the provider in micro-units of its currency, or null if the response has none. */
export function readBalance(response: ProviderResponse): { balance: number; currency: string } | null {
  if (response.kind !== "json" || !isRecord(response.body)) return null;
  const { balance, currency } = response.body;
  const text = typeof balance === "number" ? String(balance) : typeof balance === "string" ? balance.trim() : "";
  const plain = text.replaceAll(/(?<=\d),(?=\d{3}(\D|$))/g, "");
  if (!BALANCE.test(plain)) return null;
  return {
    balance: Math.round(Number(plain) * MICRO),
    currency: typeof currency === "string" ? currency.trim().slice(0, 10) : "",
  };
}

export type RefillOutcome =
  | { kind: "accepted"; providerRefillId: string }
  | { kind: "rejected"; error: string }
  /** The provider took no refill, and may take this one later. */
  | { kind: "deferred" }
  | { kind: "unknown"; why: string };

export function readRefillResponse(response: ProviderResponse): RefillOutcome {
  if (isRefusalForNow(response)) return { kind: "deferred" };
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const { body } = response;
  const refill = isRecord(body) ? body.refill : undefined;
  const providerRefillId = parseProviderId(refill);
  if (providerRefillId !== null) return { kind: "accepted", providerRefillId };
  // Some panels return the error in place of the id.
  const error = isRecord(refill) ? refill.error : isRecord(body) ? body.error : undefined;
  if (typeof error === "string") return { kind: "rejected", error };
  return { kind: "unknown", why: "the response has neither a refill nor an error" };
}

const REFILL_SPELLINGS: Record<string, RefillStatus> = {
  pending: "Pending",
  inprogress: "In progress",
  processing: "In progress",
  active: "In progress",
  started: "In progress",
  completed: "Completed",
  complete: "Completed",
  rejected: "Rejected",
  canceled: "Rejected",
  cancelled: "Rejected",
  fail: "Rejected",
  failed: "Rejected",
  error: "Rejected",
};

/**
 * Returns statuses by the provider's refill id, without entries that have an error or an unknown status. "refused": an
 * object in place of the list, such as an error, which one of the ids may have caused. Returns null if it is about all calls
 * for now, or if the response is neither.
 */
export function readRefillStatuses(response: ProviderResponse): Map<string, RefillStatus> | "refused" | null {
  if (response.kind === "no_response") return null;
  const { body } = response;
  if (!Array.isArray(body)) return isRecord(body) && !isRefusalForNow(response) ? "refused" : null;
  const statuses = new Map<string, RefillStatus>();
  for (const entry of body) {
    if (!isRecord(entry) || typeof entry.status !== "string") continue;
    const status = ownValue(REFILL_SPELLINGS, entry.status.toLowerCase().replaceAll(/[\s_-]/g, ""));
    if (status) statuses.set(String(entry.refill), status);
  }
  return statuses;
}

/** Returns what a response says about one refill: its entry of the list, or the error in place of the list. */
export function refillEntry(response: ProviderResponse, providerRefillId: string): unknown {
  if (response.kind === "no_response") return undefined;
  const { body } = response;
  if (!Array.isArray(body)) return body;
  return body.find((entry) => isRecord(entry) && String(entry.refill) === providerRefillId);
}

/** Returns whether the provider refuses all calls for now: it is busy, or refuses our key or has none of our funds. */
function isRefusalForNow(response: ProviderResponse): boolean {
  if (deferralOfStatus(response.httpStatus)) return true;
  const error = response.kind === "json" && isRecord(response.body) ? response.body.error : undefined;
  return typeof error === "string" && isDeferral(meaningOfError(error));
}

/** Reads the response to the cancellation of one order. `unknown`: it may be sent again. */
export function readCancelResponse(response: ProviderResponse): "accepted" | "rejected" | "unknown" {
  if (response.kind === "no_response" || isRefusalForNow(response)) return "unknown";
  const entry: unknown = Array.isArray(response.body) ? response.body[0] : response.body;
  if (!isRecord(entry)) return "unknown";
  if (isRecord(entry.cancel) || typeof entry.error === "string") return "rejected";
  return entry.cancel === undefined ? "unknown" : "accepted";
}

export type StatusReport = {
  status: OrderStatus | null;
  remains: number | null;
  startCount: number | null;
  /** The provider's charge for the order, in micro-units of its currency, or null if it does not say. */
  charge: number | null;
  /** The provider's spelling. Empty if it does not say. */
  currency: string;
  /** Posts of a subscription that got an order, or null for other orders. */
  usedPosts: number | null;
};

/** Reads one order's entry of a status response. Returns null if it is an error. */
export function readStatusEntry(entry: unknown): StatusReport | null {
  // Some panels write the error of every order, empty where there is none.
  if (!isRecord(entry) || (entry.error !== undefined && entry.error !== null && entry.error !== "")) return null;
  return {
    status: mapStatus(entry.status),
    remains: parseCount(entry.remains),
    startCount: parseCount(entry.start_count),
    charge: parseCharge(entry.charge),
    currency: typeof entry.currency === "string" ? entry.currency.trim().slice(0, 10) : "",
    usedPosts: Array.isArray(entry.orders) ? entry.orders.length : null,
  };
}

const STATUS_SPELLINGS: Record<string, OrderStatus> = {
  pending: "Pending",
  processing: "Processing",
  inprogress: "In progress",
  active: "In progress",
  started: "In progress",
  paused: "In progress",
  completed: "Completed",
  complete: "Completed",
  partial: "Partial",
  partiallycompleted: "Partial",
  // An expired subscription is refunded for the posts that it did not use.
  expired: "Partial",
  canceled: "Canceled",
  cancelled: "Canceled",
  refunded: "Canceled",
  rejected: "Canceled",
  fail: "Canceled",
  failed: "Canceled",
  error: "Canceled",
};

/** Maps a provider's spelling to a status. Returns null for an unknown one; the order then keeps its status. */
export function mapStatus(spelled: unknown): OrderStatus | null {
  return typeof spelled === "string"
    ? (ownValue(STATUS_SPELLINGS, spelled.toLowerCase().replaceAll(/[\s_-]/g, "")) ?? null)
    : null;
}

/** Parses a count of pieces, such as 33, "33", "33.0" or "1,000". Returns null for anything but a whole number. */
export function parseCount(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const whole = /^(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.0+)?$/.exec(text)?.[1];
  return whole === undefined ? null : Number(whole.replaceAll(",", ""));
}

/** Digits, any decimals and a power of ten, which JSON writes for what is tiny. Thousands are grouped before decimals only. */
const CHARGE = /^(\d{1,10}|[1-9]\d{0,2}(?:,\d{3}){1,3}(?=\.))(?:\.(\d{1,20}))?(?:e([+-]?\d{1,2}))?$/i;
const MICRO_PLACES = 6;

/**
 * Parses an amount to micro-units by its digits, rounded to the nearest: a float would be off by some. Returns null for
 * anything but a plain amount, and for one that a Number can't hold.
 */
export function parseCharge(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const [, whole, fraction = "", power = "0"] = CHARGE.exec(text) ?? [];
  if (whole === undefined) return null;
  const digits = BigInt(whole.replaceAll(",", "") + fraction);
  const places = MICRO_PLACES - fraction.length + Number(power);
  const unit = 10n ** BigInt(Math.abs(places));
  const micro = places >= 0 ? digits * unit : (digits + unit / 2n) / unit;
  return micro > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(micro);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
