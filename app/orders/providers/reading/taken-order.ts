import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { ownValue } from "#app/own-value.ts";
import { isRecord, markIn, memberOf, membersOf, parseProviderId } from "./members.ts";
import { plainText } from "./plain-text.ts";
import { wordKey } from "./reader.ts";

/** A text with one of these is about another order, or about a link that has one. */
const OTHER =
  /\b(?:previous|an ?other|other|others|same|existing|last|identical|similar|duplicated?|links?|urls?|profile|page|post|user ?name|target|account|video)\b/;
const DOING =
  "(?:process\\w{0,9}|pending|handled|under (?:review|moderation)|on hold|delayed|scheduled|start\\w{0,3}|delivered|sent|forwarded|retried|saved|stored|registered|deferred|awaiting|waiting|(?:put )?(?:in|on|into|to) (?:the |our |a )?(?:queue|progress|moderation|waiting))";
const TAKEN: readonly RegExp[] = [
  new RegExp(
    `\\b(?:order|request)(?: (?:id )?#?\\d{1,20})? (?:is|was|will|has|have|stays?|remains?)(?: (?:be|been|still|now|currently|being))* ${DOING}\\b`,
  ),
  /\b(?:process|handl|review|prepar|verify|work)ing (?:of |on )?(?:your|the|this) (?:refill )?(?:order|request|refill)\b/,
  /\bwe (?:will )?(?:process|handle|review|prepare|verify) (?:your|the|this) (?:refill )?(?:order|request|refill)\b/,
  /^(?:(?:your )?order )?(?:(?:was |is )?added to (?:the |our )?queue|queued|scheduled|delayed|(?:delayed|later) start)\b/,
  /\border stays\b|\bwe will\b[^|]{0,20}\bautomatically\b|\bdo not (?:re ?send|order again|submit again|repeat)\b/,
  /\bpayment (?:of|for) (?:your|the|this) order\b/,
];

/**
 * Returns whether a text may say that this very order was taken: "Your order is being processed, please wait". An order that
 * is sent again after it may be delivered twice.
 */
export function speaksOfThisOrder(text: string, inputs: readonly string[] = []): boolean {
  const { text: plain } = plainText(text, inputs);
  return !OTHER.test(plain) && TAKEN.some((pattern) => pattern.test(plain));
}

/**
 * Returns whether an object without an order's id speaks of an order nevertheless: by a state that no call has, or by an id in
 * its error.
 */
export function namesOrder(place: unknown, convention: Convention): boolean {
  if (!isRecord(place)) return false;
  const members = membersOf(place);
  const status = memberOf(members, convention.members.status);
  const state = typeof status === "string" ? ownValue(convention.states, wordKey(status)) : undefined;
  const isOfCall =
    markIn(status, convention) !== null && !convention.marks.alsoStates.includes(wordKey(String(status)));
  if (state !== undefined && state !== "Canceled" && !isOfCall) return true;
  const inError = membersOf(memberOf(members, convention.members.error));
  return parseProviderId(memberOf(inError, convention.members.order)) !== null;
}
