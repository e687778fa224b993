import { cutText } from "#app/cut-text.ts";
import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { type DeferralCause, type Meaning, meaningRule } from "#app/orders/providers/conventions/error-meanings.ts";
import { ownValue } from "#app/own-value.ts";
import { RULES, type RuleResult } from "./error-rules.ts";
import { RULES_ABROAD } from "./error-rules-abroad.ts";
import { hasFailed, isRecord, type Members, memberOf, membersOf } from "./members.ts";
import { plainText } from "./plain-text.ts";
import { type Reader, textKey, wordKey } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";

const MAX_ERROR = 1000;
/** Values that say that there is no error. */
const NO_ERROR: ReadonlySet<string> = new Set(["", "0", "false", "null", "none", "no", "no error"]);

/**
 * Returns the text of a refusal, or null if the answer has none. An `error` is one wherever it stands. A `message` is one
 * where the answer says that it failed, or says nothing else (`isRefused`: by its HTTP status).
 */
export function errorOf(body: unknown, convention: Convention, isRefused = false): string | null {
  if (!isRecord(body)) return null;
  const members = membersOf(body);
  const error = memberOf(members, convention.members.error);
  const texts = textsIn(error, convention);
  if (texts.length === 0) texts.push(...innerErrors(members, convention));
  const failed = isRefused || texts.length > 0 || isTrue(error) || hasFailed(members, convention);
  if (failed) {
    texts.push(...textsIn(memberOf(members, convention.members.message), convention));
    // Some panels explain a failure where the answer would stand.
    for (const name of convention.members.explanation ?? []) texts.push(...plainTexts(members.get(name), convention));
  }
  return texts.length === 0 ? null : cutText([...new Set(texts)].join(": "), MAX_ERROR);
}

/** Returns a message that isn't marked as an error, or null. */
export function messageOf(body: unknown, convention: Convention): string | null {
  const [message = null] = textsIn(memberOf(membersOf(body), convention.members.message), convention);
  return message;
}

/** Returns the errors of an answer whose only content is one: `{"data": {"error": "…"}}`. */
function innerErrors(members: Members, convention: Convention): string[] {
  return (convention.members.explanation ?? []).flatMap((name) =>
    textsIn(memberOf(membersOf(members.get(name)), convention.members.error), convention),
  );
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

function plainTexts(value: unknown, convention: Convention): string[] {
  if (typeof value === "string") return textsIn(value, convention);
  return isRecord(value)
    ? textsIn(memberOf(membersOf(value), [...convention.members.error, ...convention.members.message]), convention)
    : [];
}

/** Returns the texts of an error: itself, its message, or those of each field that it names. */
function textsIn(value: unknown, convention: Convention, depth = 3): string[] {
  if (typeof value === "string") {
    const text = value.trim();
    return NO_ERROR.has(text.toLowerCase()) || text === "1" || text.toLowerCase() === "true" ? [] : [text];
  }
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((one) => textsIn(one, convention, depth - 1));
  const members = membersOf(value);
  const named = memberOf(members, [...convention.members.message, ...convention.members.error]);
  if (named !== undefined) {
    const field = memberOf(members, convention.members.field ?? []);
    const about = Array.isArray(field) ? field.filter((one) => typeof one === "string").join(" ") : field;
    const texts = textsIn(named, convention, depth - 1);
    return typeof about === "string" ? texts.map((text) => `${about}: ${text}`) : texts;
  }
  return Object.entries(value)
    .slice(0, 5)
    .flatMap(([name, one]) => textsIn(one, convention, depth - 1).map((text) => `${name}: ${text}`));
}

/**
 * Returns what an error text means, or null if that isn't known. What staff taught precedes the convention's own texts, and
 * those precede the rules. `inputs`: the order's own texts, which are left out.
 */
export function meaningOf(text: string, { convention, words }: Reader, inputs: readonly string[] = []): Meaning | null {
  const key = textKey(text, inputs);
  const told = ownValue(words.errors, key) ?? ownValue(convention.errors, key);
  if (told) return told;
  const { text: plain, asksForPatience } = plainText(text, inputs);
  const rule = ruleFor(plain);
  if (rule) return rule === "unclear" ? null : rule;
  // Nothing but a request for patience.
  return asksForPatience && plain.replaceAll("|", "").trim() === "" ? "busy" : null;
}

/** Returns whether staff, or the convention itself, say what a text means. */
export function isTaught(text: string, { convention, words }: Reader, inputs: readonly string[] = []): boolean {
  const key = textKey(text, inputs);
  return ownValue(words.errors, key) !== undefined || ownValue(convention.errors, key) !== undefined;
}

const ALL_RULES = [...RULES, ...RULES_ABROAD];

function ruleFor(plain: string): RuleResult | undefined {
  return ALL_RULES.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** Returns whether a text says that something broke, so that the call may have been carried out. */
export function isUnclear(text: string): boolean {
  const { text: plain } = plainText(text);
  return ruleFor(plain) === "unclear";
}

/** Returns why a meaning defers every call, or null if it is about an order or a link. */
export function causeForAll(meaning: Meaning | null): "key" | "funds" | "busy" | null {
  const cause = meaning && causeOf(meaning);
  return cause === "key" || cause === "funds" || cause === "busy" ? cause : null;
}

export function causeOf(meaning: Meaning): DeferralCause | null {
  const rule = meaningRule(meaning);
  return rule.outcome === "deferred" ? rule.cause : null;
}

/**
 * Returns the cause that an answer's HTTP status states, whatever its body is, or "key" if a firewall turned us away. The
 * provider took no order then.
 */
export function causeOfRefusal({ httpStatus, isTurnedAway }: ProviderResponse): "key" | "funds" | "busy" | null {
  return isTurnedAway ? "key" : causeOfStatus(httpStatus);
}

/** Returns the cause that an HTTP status states, whatever the body is. The provider took no order then. */
export function causeOfStatus(httpStatus: number | null): "key" | "funds" | "busy" | null {
  switch (httpStatus) {
    case 429:
      return "busy";
    case 401:
      return "key";
    case 402:
      return "funds";
    default:
      return null;
  }
}

const MAX_BARE_TEXT = 120;

/**
 * Returns what an answer that is a plain text says about us or about now, or null. Nothing else is believed of an answer in
 * no known form.
 */
export function causeInText(raw: unknown, reader: Reader): "key" | "funds" | "busy" | null {
  if (typeof raw !== "string" || raw.length > MAX_BARE_TEXT || /[<>{}\n]/.test(raw.trim())) return null;
  return causeForAll(meaningOf(raw, reader));
}

/** Returns whether a text says that something was done rather than refused. */
export function soundsDone(text: string): boolean {
  return DONE.test(plainText(text).text) || DONE_WORDS.has(wordKey(text));
}

/** Returns whether a text that isn't marked as an error says no. */
export function soundsRefused(text: string): boolean {
  return !soundsDone(text) && REFUSED.test(plainText(text).text);
}

const REFUSED =
  /\b(?:not|no|never|in ?valid|incorrect|wrong|fail\w{0,9}|errors?|denied|already|unable|disabled|refus\w{1,9}|reject\w{0,9}|missing|required)\b/;
const DONE =
  /\b(?:success\w{0,9}|(?:has|have|was|been|is) (?:been )?(?:placed|created|received|accepted|submitted|added|queued|confirmed)|order (?:(?:id )?#?\d{1,20} )?(?:placed|created|received|accepted|submitted|added|queued|confirmed)|berhasil|thanh cong|basari\w{0,9}|correctamente|con exito|com sucesso)\b(?! not)|успешно|بنجاح/;
const DONE_WORDS: ReadonlySet<string> = new Set(["ok", "success", "done", "true", "accepted"]);
