import { HEADER_FROM, ORIGINAL, WROTE, WROTE_START } from "./quotation-words.ts";
import type { SentEmail } from "./sent-text.ts";

/** Longer lines are prose, and no line of a mail program. */
const ATTRIBUTION_MAX_CHARS = 300;
const ATTRIBUTION_MAX_LINES = 4;
/** "Growline writes:" has no date. */
const SHORT_ATTRIBUTION_MAX_WORDS = 4;
const HEADER_MAX_LINES = 8;
const HEADER_MIN_FIELDS = 3;
/** Letters that a line without a colon has besides our name and its date. */
const OTHER_LETTERS_MAX = 60;

/** A date, a time or an address: what such a line has in any language. */
const DATED = /\b(?:19|20)\d\d\b|\p{Nd}{1,2}[:h.時时]\p{Nd}\p{Nd}|@/u;
const TIME = /\p{Nd}{1,2}[:.h時时]\p{Nd}\p{Nd}/u;
const DATE = /\p{Nd}{1,4}[-./年]\s?\p{Nd}{1,2}[-./月]\s?\p{Nd}{1,4}|\p{Nd}{4}/u;
/** Also the Armenian and the Khmer sign. */
const COLON = /[:：։៖]$/;
/** What translators made of a placeholder, which programs then write as it is: "На $дата,$праќач напиша:". */
const UNFILLED = /\$[({]?[\p{L}\p{M}\p{Nd}]|\p{L}\$/u;
const SENTENCE_END = /[.!?。！？]$/;
/** "Label: value", in any language. Some programs write the label in bold. */
const FIELD = /^\*{0,2}(\p{L}[\p{L}\p{M} \u2019'.-]{0,24})\s?[:：](?!\/\/)\s?\*{0,2}\s?(\S.*)$/u;
const RULE_START = /^[-_=*━─]{2}/;
const RULE_END = /[-_=*━─]{2}$/;
const RULE_MAX_CHARS = 100;

/** Returns the lines without the line above a quotation, which mail programs wrap. `isFirst`: nothing is quoted before. */
export function withoutAttribution(lines: string[], sent: SentEmail | null, isFirst: boolean): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  // Somebody may have typed right above it.
  let complete = end;
  for (let start = end - 1; start >= 0 && start >= end - ATTRIBUTION_MAX_LINES; start--) {
    const first = lines[start]?.trim() ?? "";
    const joined = lines.slice(start, end).join(" ").trim();
    if (first === "" || joined.length > ATTRIBUTION_MAX_CHARS) break;
    if (complete === end && sent && isComplete(joined, sent)) complete = start;
    // Words that start it tell how far up it goes; otherwise it is what stands alone, if its first line is part of it.
    const isParagraph = start === 0 || lines[start - 1]?.trim() === "";
    const isAlone = isParagraph && (start === end - 1 || isPart(first, sent));
    const isWhole = isAlone || WROTE_START.test(joined);
    if (isWhole && isAttribution(joined, sent, { isAlone, isFirst })) return lines.slice(0, start);
  }
  return complete < end ? lines.slice(0, complete) : lines;
}

/** Returns whether the line above a quotation is inside of it, as Apple's programs put it. `quoted`: without marks. */
export function startsWithAttribution(quoted: string[], sent: SentEmail | null): boolean {
  const first = quoted.filter((line) => line !== "").slice(0, ATTRIBUTION_MAX_LINES - 1);
  if (!isPart(first[0] ?? "", sent)) return false;
  return first.some((_, at) => {
    const joined = first.slice(0, at + 1).join(" ");
    return (
      joined.length <= ATTRIBUTION_MAX_CHARS &&
      DATED.test(joined) &&
      (WROTE.test(joined) || (sent !== null && isComplete(joined, sent)))
    );
  });
}

/** Returns whether a line needs none above it: "Growline, 23.11.2026 09:05:" or "Growline writes:". */
function isComplete(line: string, sent: SentEmail): boolean {
  if (!COLON.test(line) || !namesUs(line, sent)) return false;
  if (line.split(/\s+/).length <= SHORT_ATTRIBUTION_MAX_WORDS) return true;
  return isDated(line);
}

function isPart(line: string, sent: SentEmail | null): boolean {
  if (!sent) return DATED.test(line) || WROTE_START.test(line);
  return isDated(line) || hasAddress(line, sent) || WROTE_START.test(line) || UNFILLED.test(line);
}

function isAttribution(
  line: string,
  sent: SentEmail | null,
  { isAlone, isFirst }: { isAlone: boolean; isFirst: boolean },
): boolean {
  const isOurs = sent !== null && namesUs(line, sent);
  // Between quotations a person may write so too.
  if (WROTE.test(line)) return isFirst || isOurs || sent === null;
  if (COLON.test(line)) return isOurs || (isFirst && (DATED.test(line) || (isAlone && UNFILLED.test(line))));
  if (!isOurs || !isAlone || !isDated(line)) return false;
  return (hasAddress(line, sent) || !SENTENCE_END.test(line)) && otherLetters(line, sent) <= OTHER_LETTERS_MAX;
}

/** Returns whether a line has a date and, besides it, a time. */
function isDated(line: string): boolean {
  return DATE.test(line) && TIME.test(line.replace(DATE, " "));
}

function hasAddress(line: string, sent: SentEmail): boolean {
  const lower = line.toLowerCase();
  return sent.addresses.some((address) => lower.includes(address.toLowerCase()));
}

function namesUs(line: string, sent: SentEmail): boolean {
  return hasAddress(line, sent) || line.toLowerCase().includes(sent.name.toLowerCase());
}

function otherLetters(line: string, { addresses, name }: SentEmail): number {
  const rest = [...addresses, name].reduce((left, known) => left.replaceAll(known, ""), line);
  return rest.replaceAll(/[^\p{L}]+/gu, "").length;
}

/** Returns how many lines the header of a quotation takes that starts there, or 0. */
export function headerLength(lines: string[], at: number, sent: SentEmail | null): number {
  const length = fieldsLength(lines, at, sent);
  return length > 1 && hasLaterHeader(lines, at, length, sent) ? 0 : length;
}

function fieldsLength(lines: string[], at: number, sent: SentEmail | null): number {
  const first = lines[at]?.trim() ?? "";
  if (ORIGINAL.test(first)) return 1;
  if (!FIELD.test(first)) return 0;
  const fields: string[] = [];
  let length = 0;
  let wasBlank = false;
  for (const line of lines.slice(at, at + HEADER_MAX_LINES)) {
    const value = FIELD.exec(line.trim())?.[2];
    // Exchange leaves a blank line between the fields of some headers.
    const isWrapped = length > 0 && !wasBlank && line.trim() !== "" && /^[\s<[]/.test(line);
    if (value === undefined && line.trim() !== "" && !isWrapped) break;
    length += 1;
    wasBlank = line.trim() === "";
    if (value !== undefined) fields.push(value.trim());
    else if (isWrapped) fields.push(`${fields.pop()} ${line.trim()}`.trim());
  }
  const isKnown = HEADER_FROM.test(first) && fields.some((value) => DATED.test(value));
  return fields.length >= HEADER_MIN_FIELDS && (sent ? isOurHeader(fields, sent) : isKnown) ? length : 0;
}

/** Returns whether what starts here is typed, and the header comes after a blank line. Some programs space all fields. */
function hasLaterHeader(lines: string[], at: number, length: number, sent: SentEmail | null): boolean {
  const isBlankAt = (index: number) => lines[index]?.trim() === "";
  if (isBlankAt(at + 1) && isBlankAt(at + 3)) return false;
  let next = at;
  while (next < at + length && !isBlankAt(next)) next += 1;
  while (next < at + length && isBlankAt(next)) next += 1;
  return next < at + length && fieldsLength(lines, next, sent) > 0;
}

/** Returns whether the values of fields are those of our email. A form that somebody fills in has some of them by chance. */
function isOurHeader(fields: string[], sent: SentEmail): boolean {
  const isSender = (value: string) => {
    return hasAddress(value, sent) || value.replaceAll(/["'“”«»;]|<[^<>]*>/g, "").trim() === sent.name;
  };
  const isSubject = (value: string) => value.endsWith(sent.subject);
  const isRecipient = (value: string) => value.toLowerCase().includes(sent.recipient.toLowerCase());
  const isSent = (value: string) => isDated(value);
  const isCertain = fields.some(isSubject) || fields.some((value) => hasAddress(value, sent));
  return isCertain && [isSender, isSubject, isRecipient, isSent].filter((has) => fields.some(has)).length >= 2;
}

/** Returns whether a line such as "On Monday, Bo wrote:" starts there, above a quotation that has no marks. */
export function isAttributionOfUnmarked(
  lines: string[],
  at: number,
  sent: SentEmail | null,
  isQuoted: (line: string) => boolean,
): boolean {
  if (!WROTE_START.test(lines[at]?.trim() ?? "")) return false;
  for (let count = 1; count <= ATTRIBUTION_MAX_LINES; count++) {
    const joined = lines.slice(at, at + count).join(" ");
    if (joined.length > ATTRIBUTION_MAX_CHARS || lines[at + count - 1]?.trim() === "") return false;
    if (!WROTE.test(joined.trim()) || !DATED.test(joined) || (sent && !namesUs(joined, sent))) continue;
    const next = lines.slice(at + count, at + count + 5).find((line) => line.trim() !== "");
    return next === undefined || !isQuoted(next);
  }
  return false;
}

/** Returns the lines without blank ones and rules at their end, such as "---- Original ----" above a header. */
export function withoutRule(lines: string[]): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== "" && !isRule(line.trim())) + 1;
  return lines.slice(0, end);
}

function isRule(line: string): boolean {
  return RULE_START.test(line) && RULE_END.test(line) && line.length <= RULE_MAX_CHARS;
}
