import { HEADER_FROM, ORIGINAL, WROTE, WROTE_START } from "./quotation-words.ts";
import type { SentEmail } from "./sent-text.ts";

/** Longer lines are prose, and no line of a mail program. */
const ATTRIBUTION_MAX_CHARS = 300;
const ATTRIBUTION_MAX_LINES = 4;
/** "Growline writes:" has no date. */
const SHORT_ATTRIBUTION_MAX_WORDS = 4;
const SHORT_ATTRIBUTION_MAX_LETTERS = 24;
const HEADER_MAX_LINES = 8;
const HEADER_MIN_FIELDS = 3;
/** Lines above a header of Notes: the sender, who sent it for them, the date. */
const SENDER_MAX_LINES = 3;
/** "AM". */
const HALF_DAY_LETTERS = 4;
/** Letters that a line without a colon has besides our name and its date. */
const OTHER_LETTERS_MAX = 60;

/** A date, a time or an address: what such a line has in any language. */
const DATED = /\b(?:19|20)\d\d\b|\p{Nd}{1,2}[:h.時时]\p{Nd}\p{Nd}|@/u;
const TIME = /\p{Nd}{1,2}[:.h時时]\p{Nd}\p{Nd}/u;
const DATE = /\p{Nd}{1,4}[-./年]\s?\p{Nd}{1,2}[-./月]\s?\p{Nd}{1,4}|\p{Nd}{4}/u;
/** Also the Armenian, the Bengali and the Khmer sign, and a mark of direction behind it. */
const COLON = /[:：﹕։՝ঃ៖]\u200f?$/;
/** What translators made of a placeholder, which programs then write as it is: "На $дата,$праќач напиша:". */
const UNFILLED = /\$[({]?[\p{L}\p{M}\p{Nd}]|\p{L}\$/u;
const SENTENCE_END = /[.!?。！？]$/;
/** "Label: value", in any language, or a label alone. Some programs write the label in bold, some put tabs behind it. */
const FIELD = /^\*{0,2}(\p{L}[\p{L}\p{M} \u2019'.-]{0,24})\s?(?:[:：](?!\/\/)\s?\*{0,2}|\t)(.*)$/u;
/** A row of a table: "| From | Growline |". */
const ROW = /^\|\s?([^|]{1,25}?)\s?\|(.*)\|$/u;
/** Marks of direction, which Windows puts around each number of a date. */
const DIRECTION = /[\u200e\u200f\u202a-\u202e]/g;
/** What Notes writes above a header if its details are hidden: "Growline ---23-11-2026 09:05:21---Hi Ada". */
const HIDDEN_DETAILS = /---\p{Nd}.{5,40}---/u;
const RULE = /^[-_=*~━─]{2,}$/;
/** "---- Original ----". With fewer of them, or a number between them, it may be what somebody typed. */
const HEADING = /^(?:[-_=]{4}|[━─]{3})\P{Nd}*(?:[-_=]{4}|[━─]{3})$/u;
const RULE_MAX_CHARS = 100;

/** Returns the lines without the line above a quotation, which mail programs wrap. `isFirst`: nothing is quoted before. */
export function withoutAttribution(all: string[], sent: SentEmail | null, isFirst: boolean): string[] {
  const last = all.findLast((line) => line.trim() !== "")?.trim() ?? "";
  // Zimbra has nothing else there.
  if (isRule(last) && !RULE.test(last)) return withoutRule(all);
  const lines = RULE.test(last) ? withoutBareRule(all) : all;
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
    if (isWhole && isAttribution(joined, sent, { isAlone, isFirst })) return withoutBareRule(lines.slice(0, start));
  }
  return complete < end ? withoutBareRule(lines.slice(0, complete)) : lines;
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
      (WROTE.test(joined) || (sent !== null && COLON.test(joined) && isComplete(joined, sent)))
    );
  });
}

/** Returns whether a line needs none above it: "Growline, 23.11.2026 09:05:" or "Growline writes:". */
function isComplete(line: string, sent: SentEmail): boolean {
  const hasBrackets = hasBracketedAddress(line, sent);
  if (!COLON.test(line)) return hasBrackets && isDated(line) && !SENTENCE_END.test(line);
  if (!namesUs(line, sent)) return false;
  const isShort = line.split(/\s+/).length <= SHORT_ATTRIBUTION_MAX_WORDS;
  return isShort || isDated(line) || (hasBrackets && otherLetters(line, sent) <= SHORT_ATTRIBUTION_MAX_LETTERS);
}

function isPart(line: string, sent: SentEmail | null): boolean {
  if (!sent) return DATED.test(line) || WROTE_START.test(line);
  const isSenderAlone = namesUs(line, sent) && otherLetters(line, sent) === 0;
  return isSenderAlone || hasAddress(line, sent) || isDated(line) || WROTE_START.test(line) || UNFILLED.test(line);
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
  if (!isOurs || !isAlone) return false;
  if (isFirst && isBareSender(line, sent)) return true;
  return (
    isDated(line) &&
    (hasAddress(line, sent) || !SENTENCE_END.test(line)) &&
    otherLetters(line, sent) <= OTHER_LETTERS_MAX
  );
}

/** Returns whether a line is "2026/11/23 Growline via Support <…>" or, in a language without a colon, "Quote Growline <…>". */
function isBareSender(line: string, sent: SentEmail): boolean {
  if (!hasBracketedAddress(line, sent)) return false;
  return line.split(/\s+/).length <= SHORT_ATTRIBUTION_MAX_WORDS || (line.endsWith(">") && line.search(DATE) === 0);
}

function hasBracketedAddress(line: string, { addresses }: SentEmail): boolean {
  const lower = line.toLowerCase();
  return addresses.some((address) => lower.includes(`<${address.toLowerCase()}>`));
}

/** Returns whether a line names us, with a date and a time. */
export function isDatedLineOfUs(line: string, sent: SentEmail): boolean {
  return namesUs(line, sent) && isDated(line);
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
  if (!fieldOf(first)) return 0;
  const { fields, length } = fieldsFrom(lines, at);
  if (sent) return isOurHeader(fields, sent) ? length : 0;
  const isKnown = HEADER_FROM.test(first) && fields.some((value) => DATED.test(value));
  return fields.length >= HEADER_MIN_FIELDS && isKnown ? length : 0;
}

/** Returns the values of the fields that start there, without empty ones, and how many lines they take. */
function fieldsFrom(lines: string[], at: number): { fields: string[]; length: number } {
  const fields: string[] = [];
  let length = 0;
  let wasBlank = false;
  for (const line of lines.slice(at, at + HEADER_MAX_LINES)) {
    const value = fieldOf(line.trim());
    // Exchange leaves a blank line between the fields of some headers.
    const isWrapped = length > 0 && !wasBlank && line.trim() !== "" && /^[\s<[]/.test(line);
    if (value === null && line.trim() !== "" && !isWrapped) break;
    length += 1;
    wasBlank = line.trim() === "";
    if (value !== null) fields.push(value);
    else if (isWrapped) fields.push(`${fields.pop()} ${line.trim()}`.trim());
  }
  return { fields: fields.filter((value) => value !== ""), length };
}

/** Returns the value of a field, which may be empty, or null for another line. */
function fieldOf(line: string): string | null {
  const value = FIELD.exec(line)?.[2] ?? ROW.exec(line)?.[2];
  return value === undefined ? null : value.replaceAll(DIRECTION, "").replace(/;\s*$/, "").trim();
}

/** Returns whether what starts here is typed, and the header comes after a blank line. Some programs space all fields. */
function hasLaterHeader(lines: string[], at: number, length: number, sent: SentEmail | null): boolean {
  const isBlankAt = (index: number) => lines[index]?.trim() === "";
  if (isBlankAt(at + 1) && !isBlankAt(at + 2) && isBlankAt(at + 3)) return false;
  let next = at;
  while (next < at + length && !isBlankAt(next)) next += 1;
  while (next < at + length && isBlankAt(next)) next += 1;
  return next < at + length && fieldsLength(lines, next, sent) > 0;
}

/** Returns whether the values of fields are those of our email. A form that somebody fills in has some of them by chance. */
function isOurHeader(fields: string[], sent: SentEmail): boolean {
  const isSubject = (value: string) => value.endsWith(sent.subject);
  const isRecipient = (value: string) => value.toLowerCase().includes(sent.recipient.toLowerCase());
  const isSent = (value: string) => isDated(value);
  const isCertain = fields.some(isSubject) || fields.some((value) => hasAddress(value, sent));
  const known = [(value: string) => isSender(value, sent), isSubject, isRecipient, isSent];
  const count = known.filter((has) => fields.some(has)).length;
  // Notes has no more than the recipient and the subject there.
  const isWhole = fields.length >= HEADER_MIN_FIELDS || (fields.some(isSubject) && fields.some(isRecipient));
  return isCertain && isWhole && count >= 2;
}

function isSender(value: string, sent: SentEmail): boolean {
  return hasAddress(value, sent) || value.replaceAll(/["'“”«»;]|<[^<>]*>/g, "").trim() === sent.name;
}

/** Returns what stands above a header, without the rule and the lines with sender and date that belong to it. */
export function aboveHeader(lines: string[], at: number, sent: SentEmail | null): string[] {
  let above = withoutRule(lines.slice(0, at));
  if (!sent) return above;
  const hasSender = fieldsFrom(lines, at).fields.some((value) => isSender(value, sent));
  const lacksSender = !hasSender && !ORIGINAL.test(lines[at]?.trim() ?? "");
  let hasName = false;
  let hasDate = false;
  for (let count = 0; count < SENDER_MAX_LINES && !(hasName && hasDate); count++) {
    const last = above.at(-1)?.trim() ?? "";
    const isHidden = HIDDEN_DETAILS.test(last) && namesUs(last, sent);
    if (!isHidden && !(lacksSender && isSenderLine(last, sent))) return above;
    hasName ||= namesUs(last, sent);
    hasDate ||= isDated(last);
    above = withoutRule(above.slice(0, -1));
  }
  return above;
}

/** Returns whether a line is our address with what programs write beside it, or nothing but our name or a date. */
function isSenderLine(line: string, sent: SentEmail): boolean {
  if (hasAddress(line, sent)) return !SENTENCE_END.test(line) && line.length <= RULE_MAX_CHARS;
  return (namesUs(line, sent) || isDated(line)) && otherLetters(line, sent) <= HALF_DAY_LETTERS;
}

/** Returns the lines without the header of Windows Mail, which has no subject and no address, right above our text. */
export function withoutBareHeader(lines: string[], sent: SentEmail | null): string[] {
  if (!sent) return lines;
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  let start = end;
  while (start > 0 && fieldOf(lines[start - 1]?.trim() ?? "") !== null) start -= 1;
  const fields = lines.slice(start, end).map((line) => fieldOf(line.trim()) ?? "");
  const [from = "", date = ""] = fields;
  const isHeader = fields.length === HEADER_MIN_FIELDS && isSender(from, sent) && isDated(date);
  return isHeader ? withoutRule(lines.slice(0, start)) : lines;
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
function withoutRule(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "" && !isRule(line.trim())) + 1);
}

/** A heading may be what somebody typed where another line tells that a quotation follows. */
function withoutBareRule(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "" && !RULE.test(line.trim())) + 1);
}

function isRule(line: string): boolean {
  return line.length <= RULE_MAX_CHARS && (RULE.test(line) || HEADING.test(line.replaceAll(/^\*|\*$/g, "")));
}
