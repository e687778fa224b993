import { htmlToLines } from "./html-to-lines.ts";

/** An answer has fewer. What stands further down is quoted or hostile. */
const READ_MAX_CHARS = 400_000;
const READ_MAX_LINES = 20_000;
/** Longer lines are prose, and no line of a mail program. */
const ATTRIBUTION_MAX_CHARS = 300;
const ATTRIBUTION_MAX_LINES = 4;
const SIGNATURE_MAX_CHARS = 80;

/** Ends of the line above a quotation: "On Monday, Bo wrote:". */
const WROTE =
  /(?:\bwrote|\bschrieb|\ba écrit|\bescribi[óo]|\bescreveu|\bha scritto|\bschreef|\bskrev|napisał\(?a?\)?|написал\(?а?\)?)(?:\s[^:]{1,120})?\s?:$/iu;
const WROTE_START = /^(?:On|Am|Le|El|Em|Il|Op|Den|Dnia|Em|A|W dniu)\b/u;
/** A date, a time or an address: what such a line has in any language. */
const DATED = /\b(?:19|20)\d\d\b|\d{1,2}[:h.]\d\d|@/;
/** "-----Original Message-----" in the languages of Outlook, Yahoo and others. */
const ORIGINAL =
  /^-{2,}\s?(?:original message|original appointment|forwarded message|ursprüngliche nachricht|originalnachricht|weitergeleitete nachricht|message d[\u2019']origine|message original|message transféré|mensaje original|mensagem original|mensaje reenviado|mensagem encaminhada|messaggio originale|oorspronkelijk bericht)\s?-{2,}$/iu;
/** First line of the header that Outlook puts above a quotation. */
const HEADER_FROM = /^\*?(?:From|Von|De|Da|Van|Från|Fra)\s?:\*?\s.*\S/u;
const HEADER_LINE = /^\*?[\p{L}][\p{L} \u2019'-]{0,20}\s?:\*?\s.*\S/u;
const RULE = /^(?:_{20,}|-{20,})$/;
/** What phones and mail programs add below an answer. */
const PROGRAM_SIGNATURE = [
  /^(?:Sent|Gesendet|Envoyé|Envoyée|Enviado|Inviato|Verzonden)\s(?:from|via|with|using|von|vom|mit|aus|über|de|depuis|à partir|avec|desde|do|da|a partir|con|com|vanaf|met)\s./iu,
  /^Von (?:meinem|unterwegs)\b.*\bgesendet\b/iu,
  /^(?:Diese Nachricht wurde von|This message was sent from|Ce message a été envoyé|Este mensaje fue enviado)\b/iu,
  /^(?:Get|Download|Télécharger|Téléchargez|Obtenir|Obtenez|Obtener|Obter|Obtenha|Holen Sie sich|Laden Sie)\s.*\bOutlook\b/iu,
  /^Outlook (?:für|for|pour|para)\b/iu,
  /^(?:Yahoo Mail: .+|Mit freundlichen Grüßen von meinem .+)$/iu,
];

type Segment = { isQuoted: boolean; lines: string[] };

/**
 * Returns what its writer wrote in an answer to an email: without the quotation, the line above it and signatures. Where
 * the answer stands between quotations, these stay. Empty if nothing is left.
 */
export function answerText({ text, html }: { text?: string | undefined; html?: string | undefined }): string {
  const isPlain = text !== undefined && text.trim() !== "";
  const lines = isPlain
    ? text
        .slice(0, READ_MAX_CHARS)
        .replaceAll("\u00a0", " ")
        .split(/\r\n?|\n/, READ_MAX_LINES)
    : htmlToLines((html ?? "").slice(0, READ_MAX_CHARS)).slice(0, READ_MAX_LINES);
  const segments = segmentsOf(untilHeader(lines.map((line) => line.trimEnd())));
  const answers = segments.flatMap((segment, at) => {
    if (segment.isQuoted) return [];
    const own = segments[at + 1]?.isQuoted ? withoutAttribution(segment.lines) : segment.lines;
    const lines = withoutSignature(own);
    return lines.some((line) => line.trim() !== "") ? [{ at, lines }] : [];
  });
  const [first, last] = [answers[0], answers.at(-1)];
  if (!first || !last) return "";
  const byPlace = new Map(answers.map(({ at, lines }) => [at, lines]));
  const isInline = segments.filter(({ isQuoted }, at) => isQuoted && at < last.at).length > 1;
  const parts = isInline
    ? segments.slice(0, last.at + 1).map(({ isQuoted, lines }, at) => {
        return isQuoted ? withoutBlankEnd(lines) : (byPlace.get(at) ?? []);
      })
    : answers.map(({ lines }) => lines);
  return trimmed(
    parts
      .map(trimmed)
      .filter((part) => part !== "")
      .join(isInline ? "\n" : "\n\n"),
  );
}

/** Returns the lines above the header of a quotation whose lines have no mark, or all. */
function untilHeader(lines: string[]): string[] {
  const at = lines.findIndex((line, index) => {
    if (ORIGINAL.test(line.trim())) return true;
    if (isHeader(lines, index)) return true;
    return isAttributionOfUnmarked(lines, index);
  });
  if (at < 0) return lines;
  const above = lines.slice(0, at);
  while (above.length > 0 && (above.at(-1)?.trim() === "" || RULE.test(above.at(-1)?.trim() ?? ""))) above.pop();
  return above;
}

/** Returns whether a header starts there: a line for the sender and at least two more, such as the date. */
function isHeader(lines: string[], at: number): boolean {
  if (!HEADER_FROM.test(lines[at] ?? "")) return false;
  const following = lines.slice(at + 1, at + 8).filter((line) => line !== "");
  const end = following.findIndex((line) => !HEADER_LINE.test(line));
  const fields = end < 0 ? following.length : end;
  return fields >= 2 && lines.slice(at, at + 8).some((line) => DATED.test(line));
}

/** Returns whether a line such as "On Monday, Bo wrote:" starts there, above a quotation that has no marks. */
function isAttributionOfUnmarked(lines: string[], at: number): boolean {
  if (!WROTE_START.test(lines[at]?.trim() ?? "")) return false;
  for (let count = 1; count <= ATTRIBUTION_MAX_LINES; count++) {
    const joined = lines.slice(at, at + count).join(" ");
    if (joined.length > ATTRIBUTION_MAX_CHARS || lines[at + count - 1]?.trim() === "") return false;
    if (!WROTE.test(joined.trim()) || !DATED.test(joined)) continue;
    const next = lines.slice(at + count, at + count + 5).find((line) => line.trim() !== "");
    return next === undefined || !isQuotedLine(next);
  }
  return false;
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

/** Removes the line above a quotation, which mail programs wrap. */
function withoutAttribution(lines: string[]): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  for (let start = end - 1; start >= 0 && start >= end - ATTRIBUTION_MAX_LINES; start--) {
    if (lines[start]?.trim() === "") break;
    const joined = lines.slice(start, end).join(" ").trim();
    if (joined.length > ATTRIBUTION_MAX_CHARS || !joined.endsWith(":")) break;
    // Words that start it tell how far up it goes; otherwise it is what stands alone.
    const isWhole = WROTE_START.test(joined) || start === 0 || lines[start - 1]?.trim() === "";
    if (isWhole && DATED.test(joined)) return lines.slice(0, start);
    if (isWhole && WROTE.test(joined)) return lines.slice(0, start);
  }
  return lines;
}

function withoutBlankEnd(lines: string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => /[^\s>]/.test(line)) + 1);
}

function withoutSignature(lines: string[]): string[] {
  const delimiter = lines.findIndex((line) => /^(?:--|-- |—)$/.test(line));
  const own = delimiter < 0 ? [...lines] : lines.slice(0, delimiter);
  for (;;) {
    while (own.length > 0 && /^(?:\s*|_{20,})$/.test(own.at(-1) ?? "")) own.pop();
    const last = own.at(-1)?.trim() ?? "";
    if (last.length > SIGNATURE_MAX_CHARS || !PROGRAM_SIGNATURE.some((pattern) => pattern.test(last))) return own;
    own.pop();
  }
}

function trimmed(text: string | string[]): string {
  const whole = typeof text === "string" ? text : text.join("\n");
  return whole.replaceAll(/\n{3,}/g, "\n\n").trim();
}
