import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import type { DeferralCause, Meaning } from "#app/orders/providers/conventions/error-meanings.ts";
import { ownValue } from "#app/own-value.ts";
import {
  causeForAll,
  causeInText,
  causeOfRefusal,
  errorOf,
  isUnclear,
  meaningOf,
  messageOf,
  soundsDone,
  soundsRefused,
} from "./error-texts.ts";
import {
  hasFailed,
  idText,
  isRecord,
  type Members,
  markOf,
  memberOf,
  membersOf,
  parseProviderId,
  wrappedIn,
} from "./members.ts";
import { type Reader, wordKey } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";
import { refillStatusOf } from "./states-answer.ts";

export type CancelOutcome =
  | { kind: "accepted" }
  /** `error` is empty if the provider says no without a reason. */
  | { kind: "rejected"; error: string; reason: Meaning | null }
  /** It is about every call, for now. */
  | { kind: "deferred"; cause: DeferralCause }
  /** A cancellation may be sent again. */
  | { kind: "unknown"; why: string };

const NEITHER: CancelOutcome = { kind: "unknown", why: "the response says neither yes nor no" };
const YES: CancelOutcome = { kind: "accepted" };
const NO: CancelOutcome = { kind: "rejected", error: "", reason: null };

/** Reads the answer to `cancel` for the order that has this id at the provider. */
export function readCancel(response: ProviderResponse, reader: Reader, id: string): CancelOutcome {
  if (response.kind === "no_response") return { kind: "unknown", why: response.why };
  const statusCause = causeOfRefusal(response);
  if (response.kind === "unreadable" || typeof response.body === "string") {
    const cause = statusCause ?? causeInText(response.kind === "json" ? response.body : response.raw, reader);
    return cause ? { kind: "deferred", cause } : { kind: "unknown", why: "the response is not JSON" };
  }
  const outcome = entryOutcome(response.body, reader, id, response.httpStatus >= 400);
  if (statusCause && outcome.kind !== "accepted") return { kind: "deferred", cause: statusCause };
  return outcome;
}

function entryOutcome(body: unknown, reader: Reader, id: string, isRefused: boolean): CancelOutcome {
  const { convention } = reader;
  for (const place of [...wrappedIn(body, convention), cancelIn(body, convention)]) {
    const entry = entryFor(place, convention, id);
    if (entry === undefined) continue;
    const outcome = ofEntry(entry, reader, isRefused);
    return outcome === NEITHER && markOf(membersOf(body), convention) === "success" ? YES : outcome;
  }
  if (!isRecord(body)) return NEITHER;
  const places = wrappedIn(body, convention).filter(isRecord);
  // Another order's, or a list of which none is ours.
  if (places.some((place) => namesOther(place, convention, id)) || places.length < wrappedIn(body, convention).length)
    return NEITHER;
  const inner = places.find((place) => cancelIn(place, convention) !== undefined);
  const text = errorOf(body, convention, isRefused);
  return text === null && inner && !hasFailed(membersOf(body), convention)
    ? ofEntry(inner, reader, false)
    : ofEntry(body, reader, isRefused);
}

/** Returns the entry that names our order, by its key or in itself. */
function entryFor(place: unknown, convention: Convention, id: string): unknown {
  if (Array.isArray(place)) return place.find((entry) => idOf(entry, convention) === id);
  if (!isRecord(place)) return undefined;
  if (Object.hasOwn(place, id)) return place[id];
  return idOf(place, convention) === id ? place : undefined;
}

function idOf(entry: unknown, convention: Convention): string | null {
  const members = membersOf(entry);
  const names = convention.members.order.filter((name) => idText(members.get(name)) !== null);
  return idText(memberOf(members, names.length > 0 ? names : convention.members.id));
}

function namesOther(place: unknown, convention: Convention, id: string): boolean {
  const members = membersOf(place);
  const other = idText(memberOf(members, convention.members.order));
  if (other !== null && other !== id) return true;
  return [...members.keys()].some((key) => /^\d+$/.test(key) && key !== id);
}

function cancelIn(place: unknown, convention: Convention): unknown {
  const members = membersOf(place);
  const name = convention.members.cancel.find((one) => members.has(one));
  return name === undefined ? undefined : members.get(name);
}

function ofEntry(entry: unknown, reader: Reader, isRefused: boolean): CancelOutcome {
  const { convention } = reader;
  if (!isRecord(entry)) return ofValue(entry, reader);
  const cancel = cancelIn(entry, convention);
  const inPlace = errorOf(cancel, convention);
  const text = inPlace ?? errorOf(entry, convention, isRefused);
  if (text !== null) return refused(text, reader);
  const members = membersOf(entry);
  if (hasFailed(members, convention)) return NO;
  if (cancel !== undefined) return isRecord(cancel) ? ofRecord(cancel, reader) : ofValue(cancel, reader);
  const status = memberOf(members, convention.members.status);
  const message = messageOf(entry, convention);
  if (isCanceled(status, convention)) return YES;
  // A call that succeeded in saying no has said neither.
  if (markOf(members, convention) === "success") return message !== null && soundsRefused(message) ? NEITHER : YES;
  if (hasTextOfSuccess(members, convention)) return YES;
  return message !== null && soundsRefused(message) ? refused(message, reader) : NEITHER;
}

function isCanceled(status: unknown, convention: Convention): boolean {
  return typeof status === "string" && ownValue(convention.states, wordKey(status)) === "Canceled";
}

/** `{"success": "Your request was sent"}`. A text in a member that may be a state says nothing. */
function hasTextOfSuccess(members: Members, { members: { success, status } }: Convention): boolean {
  const said = memberOf(
    members,
    success.filter((name) => !status.includes(name)),
  );
  return typeof said === "string" && said.trim().includes(" ") && !soundsRefused(said);
}

/** `{"cancel": {"status": "success"}}` and `{"cancel": {"id": 7}}`. */
function ofRecord(cancel: Record<string, unknown>, { convention }: Reader): CancelOutcome {
  const members = membersOf(cancel);
  if (hasFailed(members, convention)) return NO;
  const hasId = parseProviderId(memberOf(members, convention.members.id)) !== null;
  const status = memberOf(members, convention.members.status);
  return hasId || markOf(members, convention) === "success" || isCanceled(status, convention) ? YES : NEITHER;
}

/** A flag, the id of the cancellation, or a word for what was asked for. Other words say nothing for certain. */
function ofValue(value: unknown, reader: Reader): CancelOutcome {
  if (value === true || value === "true" || parseProviderId(value) !== null) return YES;
  if (value === false || value === 0 || value === "false" || value === "0") return NO;
  if (typeof value !== "string") return NEITHER;
  if (soundsRefused(value)) return refused(value, reader);
  return refillStatusOf(value, reader) === "Pending" || soundsDone(value) ? YES : NEITHER;
}

/** Returns whether what we ask for happens already: "Cancellation already requested". */
function isAskedBefore(text: string): boolean {
  return (
    /\bcancel\w{0,9}(?: request)?(?: is| was| has been)? already (?:been )?(?:requested|submitted|sent|pending|queued)\b|(?<!\bor )\balready (?:being |been )?cancel\w{2,9}\b(?! or\b)/i.test(
      text,
    ) && !/\b(?:can ?not|can't|could not|not|unable)\b/i.test(text)
  );
}

function refused(text: string, reader: Reader): CancelOutcome {
  if (isAskedBefore(text)) return YES;
  const reason = meaningOf(text, reader);
  const cause = causeForAll(reason);
  // "Can't be canceled now" is about the order, though it sounds like a busy provider.
  if (cause !== null && !/\bcancel/i.test(text)) return { kind: "deferred", cause };
  if (reason === null && isUnclear(text)) return { kind: "unknown", why: "the error may mean that it was taken" };
  return soundsDone(text) ? NEITHER : { kind: "rejected", error: text, reason };
}
