import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { type DeferralCause, type Meaning, meaningRule } from "#app/orders/providers/conventions/error-meanings.ts";
import { causeInText, causeOfRefusal, errorOf, isTaught, meaningOf, messageOf, soundsDone } from "./error-texts.ts";
import {
  hasFailed,
  isRecord,
  type Members,
  markOf,
  memberOf,
  membersOf,
  onlyOf,
  parseProviderId,
  wrappedIn,
} from "./members.ts";
import { plainText } from "./plain-text.ts";
import { type Reader, wordKey } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";
import { namesOrder, speaksOfThisOrder } from "./taken-order.ts";

export type AddOutcome =
  | { kind: "accepted"; providerOrderId: string }
  /** This order can't be delivered, whenever it is sent. `error` is the provider's text, which may quote the order's. */
  | { kind: "rejected"; error: string; reason: Meaning }
  /** The provider took no order, and may take this one later. `meaning` is null if only the HTTP status says why. */
  | { kind: "deferred"; cause: DeferralCause; meaning: Meaning | null }
  /** The provider may have the order, and the convention has no lookup by our reference. `why` quotes nothing. */
  | { kind: "unknown"; why: string };

/**
 * `id`: our order's id. `hadUnknownAttempt`: an earlier call for this order had an unknown outcome, so what is refused now
 * may be there already. `inputs`: the order's own texts, such as its link and each of its comments, which errors may quote.
 */
export type AddContext = { id?: number | string; hadUnknownAttempt: boolean; inputs: readonly string[] };

/** Reads the answer to `add`. An answer that may mean that the order was taken is never `rejected` or `deferred`. */
export function readAdd(response: ProviderResponse, reader: Reader, context: AddContext): AddOutcome {
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const statusCause = causeOfRefusal(response);
  if (response.kind === "unreadable" || typeof response.body === "string") {
    const raw = response.kind === "json" ? response.body : response.raw;
    const said = statusCause ?? causeInText(raw, reader);
    const isOfThis = !response.isTurnedAway && typeof raw === "string" && mayBeTaken(raw.trim(), context.inputs);
    const cause = isOfThis ? null : said;
    const meaning = response.isTurnedAway ? "address" : null;
    return cause ? { kind: "deferred", cause, meaning } : { kind: "unknown", why: "the response is not JSON" };
  }
  const { convention } = reader;
  const body = onlyOf(response.body);
  const found = orderIdIn(body, convention);
  const isRefused = response.httpStatus >= 400;
  const text = errorOf(body, convention, isRefused) ?? (found === null ? messageOf(body, convention) : null);
  if (found !== null) {
    const isContradicted = text !== null || placesIn(body, convention).some((place) => saysNo(place, convention));
    if (found === "several") return { kind: "unknown", why: "the response names several orders" };
    if (isContradicted) return { kind: "unknown", why: "the response has an order id and an error" };
    return { kind: "accepted", providerOrderId: found };
  }
  if (text !== null && placesIn(body, convention).some((place) => namesOrder(place, convention))) {
    return { kind: "unknown", why: "the response speaks of an order and has an error" };
  }
  const refusal = text === null ? null : readRefusal(text, reader, context, isMarkedDone(body, convention));
  // "Order placed. Slow down" with HTTP 429 would be sent twice.
  if (refusal?.kind === "unknown" && text !== null && mayBeTaken(text, context.inputs)) return refusal;
  if (refusal?.kind === "rejected" && mayBeAboutCall(response.httpStatus, refusal)) {
    return { kind: "unknown", why: "the error may be about the call" };
  }
  if (refusal && refusal.kind !== "unknown" && !(refusal.kind === "rejected" && statusCause)) return refusal;
  if (statusCause) return { kind: "deferred", cause: statusCause, meaning: null };
  return refusal ?? { kind: "unknown", why: "the response has neither a readable order id nor an error" };
}

/** Returns the answer, its wrapped objects and the rows of their lists. An error can appear next to the id in any of them. */
function placesIn(body: unknown, convention: Convention): unknown[] {
  const places = wrappedIn(body, convention);
  return places.flatMap((place) =>
    Array.isArray(place) ? place.flatMap((row) => wrappedIn(row, convention)) : [place],
  );
}

function saysNo(place: unknown, convention: Convention): boolean {
  return errorOf(place, convention) !== null || hasFailed(membersOf(place), convention);
}

/** Words for what an order is for. A page, a URL or a post isn't one: frameworks say "Page not found" of the API itself. */
const OF_ORDER =
  /\b(?:links?|user ?names?|users?|profiles?|accounts?|videos?|photos?|media|reels?|stor(?:y|ies)|channels?|groups?|tweets?)\b/;

/** Returns whether an HTTP status says that the API isn't there, or takes no such call, and its text no more than that. */
function mayBeAboutCall(httpStatus: number, { error, reason }: AddOutcome & { kind: "rejected" }): boolean {
  if (httpStatus === 405 || httpStatus === 415) return true;
  const isMissing = httpStatus === 404 || httpStatus === 410;
  return isMissing && reason === "target" && !OF_ORDER.test(plainText(error).text);
}

function isMarkedDone(body: unknown, convention: Convention): boolean {
  const members = membersOf(body);
  return markOf(members, convention) === "success" && memberOf(members, convention.members.error) === undefined;
}

function readRefusal(text: string, reader: Reader, context: AddContext, isMarked: boolean): AddOutcome {
  const inputs = context.id === undefined ? context.inputs : [...context.inputs, String(context.id)];
  const meaning = meaningOf(text, reader, inputs);
  // Without its words, which may quote the customer's link: this is logged.
  if (meaning === null) return { kind: "unknown", why: "the error is not known" };
  if (isMarked) return { kind: "unknown", why: "the response says both that it succeeded and that it failed" };
  const rule = meaningRule(meaning);
  if (context.hadUnknownAttempt && (rule.about === "link" || (rule.outcome === "rejected" && !rule.isLasting))) {
    return { kind: "unknown", why: "an earlier attempt may have arrived" };
  }
  const isOfThis = speaksOfThisOrder(text, inputs) && !isTaught(text, reader, inputs);
  if (isOfThis || (rule.about !== "link" && soundsDone(text)))
    return { kind: "unknown", why: "the error may mean that it was taken" };
  if (rule.outcome === "rejected") return { kind: "rejected", error: text, reason: meaning };
  return { kind: "deferred", cause: rule.cause, meaning };
}

function mayBeTaken(text: string, inputs: readonly string[]): boolean {
  return soundsDone(text) || speaksOfThisOrder(text, inputs);
}

const MAX_DEPTH = 3;

/** Returns the id of the order that an answer names, "several" if it names more, or null. */
function orderIdIn(body: unknown, convention: Convention, depth = MAX_DEPTH): string | "several" | null {
  if (Array.isArray(body)) {
    const ids = new Set(body.slice(0, 9).map((one) => parseProviderId(one) ?? orderIdIn(one, convention, depth - 1)));
    if (body.length > 1) return [...ids].some((id) => id !== null) ? "several" : null;
    return [...ids][0] ?? null;
  }
  if (!isRecord(body) || depth === 0) return null;
  const members = membersOf(body);
  const order = memberOf(members, convention.members.order);
  const id = parseProviderId(order) ?? (isContainer(order) ? idInside(order, convention, depth) : null);
  if (id !== null) return id;
  for (const name of convention.members.wrapper) {
    const inner = members.get(name);
    const found = isContainer(inner) && inner !== order ? idInside(inner, convention, depth) : null;
    if (found !== null) return found;
  }
  return isAboutOrder(members, convention) ? parseProviderId(memberOf(members, convention.members.id)) : null;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Reads `id` inside a wrapper as the order's, unless something next to it is nested too deeply to read. */
function idInside(inner: object, convention: Convention, depth: number): string | "several" | null {
  const named = orderIdIn(inner, convention, depth - 1);
  const members = membersOf(inner);
  if (named !== null || (depth <= 2 && convention.members.wrapper.some((name) => isContainer(members.get(name))))) {
    return named;
  }
  return parseProviderId(memberOf(members, convention.members.id));
}

/** Returns whether a bare `id` is an order's: the answer says nothing else, that it succeeded, or a state of the order. */
function isAboutOrder(members: Members, convention: Convention): boolean {
  if (members.size === 1 || markOf(members, convention) === "success") return true;
  const status = memberOf(members, convention.members.status);
  const isState = typeof status === "string" && Object.hasOwn(convention.states, wordKey(status));
  return isState && !hasFailed(members, convention);
}
