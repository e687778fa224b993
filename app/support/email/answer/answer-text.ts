import {
  aboveHeader,
  headerLength,
  isAttributionOfUnmarked,
  isDatedLineOfUs,
  startsWithAttribution,
  withoutAttribution,
  withoutBareHeader,
} from "./attribution.ts";
import { htmlToLines } from "./html-to-lines.ts";
import { isProgramSignature } from "./quotation-words.ts";
import { type SentEmail, type SentText, sentTextOf } from "./sent-text.ts";

/** An answer and what it quotes have fewer. */
const READ_MAX_CHARS = 400_000;
const HTML_MAX_CHARS = 2_000_000;
const READ_MAX_LINES = 20_000;
/** Pictures that HTML holds itself. */
const DATA_URI = /\bdata:image\/[a-z0-9.+-]{1,20};base64,[a-z0-9+/=\s]{1,20000000}/gi;
/** The line above a signature. Two hyphens without the space are a person's own. HTML has no space at a line's end. */
const SIGNATURE = "-- ";
const ARROWS = ">>> ";
/** Apple Mail has one before the first line that it quotes. */
const BYTE_ORDER_MARK = "\ufeff";

type Content = { text?: string | undefined; html?: string | undefined };
type Segment = { isQuoted: boolean; lines: string[] };

/**
 * Returns what its writer wrote in an answer to an email: without the quotation, the line above it and signatures. Where
 * the answer stands between quotations, the paragraph above each part stays. Empty if nothing is left. `sent`: the email that is answered, if known:
 * its text is found where it has no marks, and what is typed inside of it stays.
 */
export function answerText({ text, html }: Content, sent: SentEmail | null = null): string {
  const ours = sentTextOf(sent);
  const read = linesOf({ text, html }, ours);
  const trimmedLines = read.map((line) => (line === SIGNATURE ? line : line.replaceAll(BYTE_ORDER_MARK, "").trimEnd()));
  const lines = markedLines(withoutArrows(trimmedLines, sent), ours);
  const { above, quotation } = split(lines, sent, ours);
  const written = withTypedMarks(segmentsOf(above), ours, quotation.length > 0);
  const segments = [...written, ...segmentsOf(quotation)];
  // The line above this quotation was left out when it was found.
  const headedAt = quotation.length > 0 ? written.length - 1 : null;
  const answers = segments.flatMap((segment, at) => {
    if (segment.isQuoted) return [];
    const isFirst = !segments.slice(0, at).some(({ isQuoted }) => isQuoted);
    const next = segments[at + 1];
    const isAttributed = next?.isQuoted && at !== headedAt && !startsWithAttribution(next.lines.map(unmarked), sent);
    const own = isAttributed ? withoutAttribution(segment.lines, sent, isFirst) : segment.lines;
    const lines = withoutSignature(own);
    return lines.some((line) => line.trim() !== "") ? [{ at, lines }] : [];
  });
  const [first, last] = [answers[0], answers.at(-1)];
  if (!first || !last) return sent ? typedUnderMarks(lines, ours) || markedByWriter(segments, ours) : "";
  const byPlace = new Map(answers.map(({ at, lines }) => [at, lines]));
  const isInline = segments.filter(({ isQuoted }, at) => isQuoted && at < last.at).length > 1;
  const parts = isInline
    ? segments.slice(0, last.at + 1).map(({ isQuoted, lines }, at) => {
        return isQuoted ? answeredPart(lines, sent, ours) : (byPlace.get(at) ?? []);
      })
    : answers.map(({ lines }) => lines);
  return trimmed(
    parts
      .map(trimmed)
      .filter((part) => part !== "")
      .join(isInline ? "\n" : "\n\n"),
  );
}

/** Returns whether an email has more text than is read: then nobody can say what its writer wrote. */
export function isTooLong({ text = "", html = "" }: Content): boolean {
  if (text.trim() === "") return withoutPictures(html).length > HTML_MAX_CHARS;
  return text.length > READ_MAX_CHARS || text.split(/\r\n?|\n/, READ_MAX_LINES + 1).length > READ_MAX_LINES;
}

/** Some programs lose the line breaks of the plain text, all of them or those above our text. */
function linesOf({ text = "", html = "" }: Content, ours: SentText): string[] {
  const isFlat = () => text.slice(0, READ_MAX_CHARS).split("\n", READ_MAX_LINES).some(ours.startsInside);
  if (text.trim() === "" || (html !== "" && isFlat()))
    return htmlToLines(withoutPictures(html).slice(0, HTML_MAX_CHARS))
      .slice(0, READ_MAX_LINES)
      .map((line) => (line === SIGNATURE.trim() ? SIGNATURE : line));
  return text
    .slice(0, READ_MAX_CHARS)
    .replaceAll("\u00a0", " ")
    .split(/\r\n?|\n/, READ_MAX_LINES);
}

function withoutPictures(html: string): string {
  return html.replaceAll(DATA_URI, "data:");
}

/** Returns the lines without the ">>>" that GroupWise writes before the line above a quotation. Deep quotations have it too. */
function withoutArrows(lines: string[], sent: SentEmail | null): string[] {
  if (!sent) return lines;
  return lines.map((line, at) => {
    if (!line.startsWith(ARROWS) || lines[at + 1]?.startsWith(ARROWS.trim())) return line;
    const before = lines.slice(0, at).findLast((one) => one !== "") ?? "";
    if (isQuotedLine(before) || !isDatedLineOfUs(line, sent)) return line;
    return line.slice(ARROWS.length, line.endsWith(ARROWS.trim()) ? -ARROWS.trim().length : undefined).trim();
  });
}

/**
 * Returns the lines with ">" before those that another mark quotes, such as the tab of s-nail, or a name: a run of lines
 * with the same mark, one of which is ours without it. A line that was wrapped behind its mark gets one too.
 */
function markedLines(lines: string[], ours: SentText): string[] {
  const marked: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const mark = markOf(lines[at] ?? "");
    let end = at + 1;
    while (mark !== null && end < lines.length && isUnderMark(lines, end, mark)) end += 1;
    const run = lines.slice(at, end);
    const isOurs = mark !== null && run.some((line) => ours.occurrence(line.slice(mark.length), 0) !== null);
    for (const line of run) {
      const previous = marked.at(-1) ?? "";
      if (isOurs) marked.push(`> ${line.slice(mark.length).trim()}`.trimEnd());
      else if (isWrapped(previous, line, ours)) marked.push(`> ${line}`);
      else marked.push(line);
    }
    at = end;
  }
  return marked;
}

function markOf(line: string): string | null {
  return /^(?:\t|[|:}#%] ?| ?[\p{L}]{1,12}> ?| {2}> ?)/u.exec(line)?.[0] ?? null;
}

/** Blank lines lose the end of the mark, or all of it. */
function isUnderMark(lines: string[], at: number, mark: string): boolean {
  const line = lines[at] ?? "";
  if (line.startsWith(mark) || (line !== "" && line === mark.trimEnd())) return true;
  return line === "" && (lines[at + 1]?.startsWith(mark) ?? false);
}

/** Returns whether a line without a mark is the rest of the marked one before it. */
function isWrapped(previous: string, line: string, ours: SentText): boolean {
  if (!isQuotedLine(previous) || isQuotedLine(line) || line.trim() === "") return false;
  const before = unmarked(previous);
  return before !== "" && ours.occurrence(`${before} ${line}`, 0) !== null;
}

/**
 * Splits the lines at the header of a quotation, or the line above one that has no marks, which is left out, and marks the
 * quotation: only what was typed between the lines of our text or under it has no mark then. Our text without either stays
 * in one with what is above it.
 */
function split(lines: string[], sent: SentEmail | null, ours: SentText): { above: string[]; quotation: string[] } {
  const at = lines.findIndex((line, index) => {
    if (headerLength(lines, index, sent) > 0) return true;
    if (isQuotedLine(line)) return false;
    return ours.start(line) !== null || isAttributionOfUnmarked(lines, index, sent, isQuotedLine);
  });
  if (at < 0) return { above: lines, quotation: [] };
  const above = lines.slice(0, at);
  const quotation = quotationOf(lines.slice(at), sent, ours);
  if (headerLength(lines, at, sent) > 0) return { above: aboveHeader(lines, at, sent), quotation };
  return ours.start(lines[at] ?? "") === null
    ? { above, quotation }
    : { above: [...withoutBareHeader(above, sent), ...quotation], quotation: [] };
}

function quotationOf(lines: string[], sent: SentEmail | null, ours: SentText): string[] {
  const compared = comparedWithOurs(lines, ours, (at) => headerLength(lines, at, sent) > 0);
  if (compared.length === 0) {
    return lines.map((line) => (isQuotedLine(line) ? line : `> ${line}`.trimEnd()));
  }
  return compared.map(({ line, isOurs }, at) => {
    if (isOurs) return `> ${unmarked(line)}`;
    return line === "" && compared[at - 1]?.isOurs ? ">" : line;
  });
}

/** Returns the lines from the first on that is ours. `isEnd`: the header of an older email starts there. */
function comparedWithOurs(lines: string[], ours: SentText, isEnd: (at: number) => boolean) {
  const compared: { line: string; isOurs: boolean }[] = [];
  let place: number | null = null;
  for (const [at, line] of lines.entries()) {
    if (place !== null && isEnd(at)) break;
    const end: number | null = endInOurs(unmarked(line), place, ours);
    // Messages that the conversation has no longer, between the first line and the last ones.
    const isUnknown = end !== null && ours.isEnd(end) && compared.filter(({ isOurs }) => isOurs).length === 1;
    if (isUnknown) for (const one of compared) one.isOurs = true;
    place = end ?? place;
    if (place !== null) compared.push({ line, isOurs: end !== null });
  }
  return compared;
}

function endInOurs(content: string, place: number | null, ours: SentText): number | null {
  if (content === "") return null;
  const continued = place === null ? null : ours.continuation(content, place);
  const found = continued ?? ours.occurrence(content, place ?? 0);
  return found ?? (place !== null && ours.isLink(content) ? place : null);
}

/**
 * Returns what is left where all is marked: some programs mark what is typed inside a quotation too, and a person may mark
 * all of an answer. What is quoted deeper is older.
 */
function typedUnderMarks(lines: string[], ours: SentText): string {
  const compared = comparedWithOurs(lines, ours, () => false);
  if (compared.length === 0) return lines.every((line) => line === "" || isQuotedLine(line)) ? trimmed(lines) : "";
  const typed = compared.flatMap(({ line, isOurs }) => (isOurs || /^\s?>\s?>/.test(line) ? [] : [unmarked(line)]));
  return trimmed(withoutSignature(typed));
}

/** Returns the marked lines of which none is ours, where others are. */
function markedByWriter(segments: Segment[], ours: SentText): string {
  const others = segments.filter((segment) => segment.isQuoted && !hasOurs(segment, ours));
  return others.length < segments.length ? trimmed(others.flatMap(({ lines }) => lines)) : "";
}

function unmarked(line: string): string {
  return line.replace(/^[\s>]+/, "");
}

function isQuotedLine(line: string): boolean {
  return /^\s?>/.test(line);
}

/** Blank lines belong to what they follow. */
function segmentsOf(lines: string[]): Segment[] {
  const segments: Segment[] = [];
  for (const line of lines) {
    const isQuoted = isQuotedLine(line);
    const last = segments.at(-1);
    if (last && (last.isQuoted === isQuoted || line.trim() === "")) last.lines.push(line);
    else segments.push({ isQuoted, lines: [line] });
  }
  return segments;
}

/**
 * Returns the segments with those unquoted that have marks but nothing of ours, above the first one that has: a person typed
 * the marks, or chose other words to quote. `isHeaded`: our text follows below a header.
 */
function withTypedMarks(segments: Segment[], ours: SentText, isHeaded: boolean): Segment[] {
  const found = segments.findIndex((segment) => segment.isQuoted && hasOurs(segment, ours));
  const first = found < 0 && isHeaded ? segments.length : found;
  const merged: Segment[] = [];
  for (const [at, { isQuoted, lines }] of segments.entries()) {
    // Right above our text it may be the start of the quotation.
    const isTyped = at < first && (segments[at + 1] ? !segments[at + 1]?.isQuoted : isHeaded);
    const last = merged.at(-1);
    if (last && !last.isQuoted && (!isQuoted || isTyped)) last.lines.push(...lines);
    else merged.push({ isQuoted: isQuoted && !isTyped, lines: [...lines] });
  }
  return merged;
}

function hasOurs({ lines }: Segment, ours: SentText): boolean {
  return lines.some((line) => ours.occurrence(unmarked(line), 0) !== null);
}

/** Returns a quotation between parts of an answer without the paragraphs of ours that stand above the last one. */
function answeredPart(lines: string[], sent: SentEmail | null, ours: SentText): string[] {
  const compared = comparedWithOurs(lines, ours, () => false);
  const ownLines = new Set(compared.filter(({ isOurs }) => isOurs).map(({ line }) => line));
  const isKnown = (line: string) => ownLines.has(line) || (sent !== null && isDatedLineOfUs(unmarked(line), sent));
  const paragraphs = paragraphsOf(lines);
  const kept = paragraphs.filter((one, at) => at === paragraphs.length - 1 || !one.every(isKnown));
  return kept.flatMap((one, at) => (at > 0 ? [">", ...one] : one));
}

/** Returns the lines between those with nothing but marks. */
function paragraphsOf(lines: string[]): string[][] {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (/[^\s>]/.test(line)) paragraphs.at(-1)?.push(line);
    else if (paragraphs.at(-1)?.length !== 0) paragraphs.push([]);
  }
  return paragraphs.filter((one) => one.length > 0);
}

function withoutSignature(lines: string[]): string[] {
  const delimiter = lines.indexOf(SIGNATURE);
  const own = delimiter < 0 ? [...lines] : lines.slice(0, delimiter);
  for (;;) {
    while (own.length > 0 && /^(?:_{20,})?$/.test(own.at(-1)?.trim() ?? "")) own.pop();
    if (!isProgramSignature(own.at(-1)?.trim() ?? "")) return own;
    if (own.pop() === undefined) return own;
    if (own.at(-1) === SIGNATURE.trim()) own.pop();
  }
}

function trimmed(text: string | string[]): string {
  const whole = typeof text === "string" ? text : text.join("\n");
  return whole.replaceAll(/\n{3,}/g, "\n\n").trim();
}
