import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { type DeferralCause, type Meaning, meaningRule } from "#app/orders/providers/conventions/error-meanings.ts";
import {
  causeInText,
  causeOf,
  causeOfRefusal,
  errorOf,
  isTaught,
  isUnclear,
  meaningOf,
  messageOf,
  soundsDone,
  soundsRefused,
} from "./error-texts.ts";
import { hasFailed, isRecord, markOf, memberOf, membersOf, onlyOf, parseProviderId, wrappedIn } from "./members.ts";
import type { Reader } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";
import { speaksOfThisOrder } from "./taken-order.ts";

export type RefillOutcome =
  /** `providerRefillId`: null if the answer names none, so that nobody can ask for its state. */
  | { kind: "accepted"; providerRefillId: string | null }
  /** `reason` is null for a text that only says no. */
  | { kind: "rejected"; error: string; reason: Meaning | null }
  /** The provider took no refill, and may take this one later. */
  | { kind: "deferred"; cause: DeferralCause }
  | { kind: "unknown"; why: string };

const NEITHER: RefillOutcome = { kind: "unknown", why: "the response has neither a refill nor an error" };

/** Reads the answer to `refill` for one order. */
export function readRefill(response: ProviderResponse, reader: Reader): RefillOutcome {
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const statusCause = causeOfRefusal(response);
  if (response.kind === "unreadable" || typeof response.body === "string") {
    const raw = response.kind === "json" ? response.body : response.raw;
    const cause = statusCause ?? causeInText(raw, reader);
    const isOfThis = !response.isTurnedAway && typeof raw === "string" && speaksOfThisOrder(raw.trim());
    return cause && !isOfThis ? { kind: "deferred", cause } : { kind: "unknown", why: "the response is not JSON" };
  }
  const { convention } = reader;
  const body = onlyOf(response.body);
  if (Array.isArray(body)) return NEITHER;
  const text = refusalIn(body, convention, response.httpStatus >= 400);
  const taken = refillIn(body, convention);
  const hasNo = hasFailed(membersOf(body), convention);
  if (text === null && taken && !hasNo) return taken;
  if (taken?.kind === "accepted" && (text !== null || hasNo))
    return { kind: "unknown", why: "it has a refill and an error" };
  if (text !== null) return refused(text, reader, statusCause);
  if (statusCause) return { kind: "deferred", cause: statusCause };
  const message = messageOf(body, convention);
  const isDone = markOf(membersOf(body), convention) === "success" || (message !== null && soundsDone(message));
  return isDone ? { kind: "accepted", providerRefillId: null } : NEITHER;
}

/** Some panels return the error in place of the id. */
function refusalIn(body: unknown, convention: Convention, isRefused: boolean): string | null {
  for (const place of wrappedIn(body, convention)) {
    const inPlace = errorOf(memberOf(membersOf(place), convention.members.refill), convention);
    if (inPlace !== null) return inPlace;
  }
  const error = errorOf(body, convention, isRefused);
  if (error !== null) return error;
  const message = messageOf(body, convention);
  if (message === null || soundsDone(message) || refillIn(body, convention)) return null;
  // "Your request is in our queue", in any language.
  return markOf(membersOf(body), convention) === "success" && !soundsRefused(message) ? null : message;
}

function refillIn(body: unknown, convention: Convention): RefillOutcome | null {
  for (const place of wrappedIn(body, convention)) {
    const members = membersOf(place);
    const refill = onlyOf(memberOf(members, convention.members.refill));
    const named = isRecord(refill)
      ? memberOf(membersOf(refill), [...convention.members.refill, ...convention.members.id])
      : refill;
    const providerRefillId = parseProviderId(named);
    // Some providers answer 1 to each refill. As an id, it would be that of their first refill ever.
    const isFlag = providerRefillId === "1" || refill === true || refill === "true";
    if (isFlag) return { kind: "accepted", providerRefillId: null };
    if (providerRefillId !== null) return { kind: "accepted", providerRefillId };
  }
  return null;
}

function refused(text: string, reader: Reader, statusCause: DeferralCause | null): RefillOutcome {
  const reason = meaningOf(text, reader);
  const cause = reason === null ? statusCause : causeOf(reason);
  // A running order or refill, or a paused service, is a no to this refill; the customer may ask again.
  const isForAll = cause === "key" || cause === "funds" || cause === "busy";
  const isTooEarly = reason === "busy" && /\b\d{1,3} ?(?:h|hours?|days?)\b/i.test(text);
  if (isForAll && !isTooEarly && !isAboutRefill(text)) {
    // "Please wait while we process your request" would be sent, and delivered, again.
    const isOfThis = speaksOfThisOrder(text) && !isTaught(text, reader);
    return isOfThis ? { kind: "unknown", why: "the error may mean that it was taken" } : { kind: "deferred", cause };
  }
  if (reason === null && isUnclear(text)) return { kind: "unknown", why: "the error may mean that it was taken" };
  // "A refill has already been requested" is about an earlier one.
  if (soundsDone(text) && !/\balready\b/i.test(text) && (reason === null || meaningRule(reason).about !== "link")) {
    return { kind: "unknown", why: "the error may mean that it was taken" };
  }
  return { kind: "rejected", error: text, reason };
}

/** "Wait 24 hours before a refill" is about this refill, and not about every call. */
function isAboutRefill(text: string): boolean {
  return (
    /\brefill(?:ed|ing|s)?\b/i.test(text) && !/\btoo many requests\b|\brate limit|\bmaintenance\b|\bkey\b/i.test(text)
  );
}
