import { createHash } from "node:crypto";
import { SEPARATOR_NAMES } from "#app/http/table-text.ts";
import { ownValue } from "#app/own-value.ts";
import { type CsvFormat, csvRecords, escapedBy, isEndOfCell, isQuoting, type Quotes } from "./csv-records.ts";

const CELL_TEXTS = new Map<Quotes, string>([
  ["doubled", 'quotes around cells, "" inside them'],
  ["backslash", 'quotes around cells, \\" and \\\\ inside them'],
  ["escapes", "no quotes, and \\t, \\n and \\\\ as the MariaDB or MySQL client writes them"],
  ["none", "neither quotes nor escapes"],
]);
/** What `escapes` means in a file with \N for missing values, which the client doesn't write. */
const OUTFILE_TEXT = "no quotes, and \\t, \\n and \\\\ as INTO OUTFILE writes them";

/**
 * Returns how the cells of a text, one character per byte, are written. Names in it were chosen by strangers, so only what
 * no quoting program writes speaks for cells without quotes. Throws where two ways are possible and differ.
 */
export function dialectOf(text: string, delimiter: string, quotes?: Quotes): CsvFormat {
  const format = (found: Quotes): CsvFormat => ({
    delimiter,
    quotes: found,
    isNullText: found === "escapes" && hasNullMark(text, delimiter),
  });
  if (quotes) return format(quotes);
  return format(unquotedDialect(text, delimiter) ?? quotedDialect(text, delimiter));
}

/** Returns what the operator is told about a format. */
export function dialectText({ delimiter, quotes, isNullText }: CsvFormat): string {
  const cells = isNullText ? OUTFILE_TEXT : CELL_TEXTS.get(quotes);
  const missing = isNullText ? "\\N" : "NULL and \\N";
  return `${ownValue(SEPARATOR_NAMES, delimiter) ?? delimiter} between cells, ${cells}; ${missing} outside quotes is empty`;
}

/** Returns the dialect of a file that quotes no cells, or null if it may be one with quotes. */
function unquotedDialect(text: string, delimiter: string): "escapes" | "none" | null {
  const isProven = hasQuoteOfText(text, delimiter);
  if (!isProven && hasQuotedCell(text, delimiter)) return null;
  const escapes = escapesIn(text, delimiter);
  const isWhole = (quotes: Quotes) => survey(text, { delimiter, quotes }).isWhole;
  const mayBeEscaped = escapes !== "none" && escapes !== "stray" && isWhole("escapes");
  if (mayBeEscaped && escapes === "certain") return "escapes";
  const isTabbed = delimiter === "\t";
  if (mayBeEscaped && (isTabbed || isProven)) throw new Error(UNCLEAR_ESCAPES);
  return isProven || (isTabbed && escapes === "stray") ? "none" : null;
}

const UNCLEAR_ESCAPES =
  "\\n and the like can be read in two ways. Add --quotes escapes if they stand for line breaks and tabs, as the MariaDB and MySQL clients write them, or --quotes none if they are text";

/**
 * Returns whether a quote stands where no program that quotes cells writes one: inside a cell, neither doubled nor after
 * a backslash. A name can't put one there, because such a program doubles it.
 */
function hasQuoteOfText(text: string, delimiter: string): boolean {
  for (let at = text.indexOf('"'); at >= 0; ) {
    let end = at + 1;
    while (text[end] === '"') end++;
    // Some programs write a blank between a delimiter and a quote.
    let [first, last] = [at - 1, end];
    while (text[first] === " ") first--;
    while (text[last] === " ") last++;
    const before = text[first] ?? "\n";
    const isInside = before !== "\n" && before !== delimiter && before !== "\\" && !isEndOfCell(text, last, delimiter);
    if (isInside && (end - at) % 2 === 1) return true;
    at = text.indexOf('"', end);
  }
  return false;
}

function hasQuotedCell(text: string, delimiter: string): boolean {
  return text.startsWith('"') || text.includes('\n"') || text.includes(`${delimiter}"`);
}

/** Returns whether a cell is \N, which only servers of MariaDB and MySQL, and those they learned from, write. */
function hasNullMark(text: string, delimiter: string): boolean {
  for (let at = text.indexOf("\\N"); at >= 0; at = text.indexOf("\\N", at + 2)) {
    const before = text[at - 1] ?? "\n";
    if ((before === "\n" || before === delimiter) && isEndOfCell(text, at + 2, delimiter)) return true;
  }
  return false;
}

/**
 * Returns what the backslashes of a text say: `stray` if one escapes nothing, `certain` if one stands before another, a
 * delimiter or a line break, which a person rarely types.
 */
function escapesIn(text: string, delimiter: string): "none" | "stray" | "possible" | "certain" {
  const format: CsvFormat = { delimiter, quotes: "escapes" };
  let found: "none" | "possible" | "certain" = "none";
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    const next = text[at + 1] ?? "";
    if (escapedBy(next, format) === null) {
      const before = text[at - 1] ?? "\n";
      const isNull = next === "N" && (before === "\n" || before === delimiter) && isEndOfCell(text, at + 2, delimiter);
      if (!isNull) return "stray";
      if (found === "none") found = "possible";
      continue;
    }
    found = next === "\\" || next === delimiter || next === "\n" ? "certain" : found === "none" ? "possible" : found;
  }
  return found;
}

/** Returns the only way of writing quotes in which the file is whole. Throws if both or neither are, and they differ. */
function quotedDialect(text: string, delimiter: string): Quotes {
  const doubled = survey(text, { delimiter, quotes: "doubled" });
  const backslash = survey(text, { delimiter, quotes: "backslash" });
  if (doubled.digest === backslash.digest) return "doubled";
  if (doubled.isWhole !== backslash.isWhole) return doubled.isWhole ? "doubled" : "backslash";
  const ways = `Add --quotes doubled for ""${brokenAt(doubled)} or --quotes backslash for \\"${brokenAt(backslash)}`;
  throw new Error(`quotes inside quotes can be read in two ways. ${ways}`);
}

function brokenAt({ brokenLine }: Survey): string {
  return brokenLine === null ? "" : ` (then line ${brokenLine} is broken)`;
}

/** `brokenLine` is the first that is no row. */
type Survey = { isWhole: boolean; brokenLine: number | null; digest: string };

function survey(text: string, format: CsvFormat): Survey {
  const hash = createHash("sha256");
  let brokenLine: number | null = null;
  let count: number | undefined;
  for (const record of csvRecords(text, format)) {
    // A broken file needs no digest to be known as one where cells are never quoted.
    if (isQuoting(format)) hash.update(JSON.stringify(record));
    if ("cells" in record) count ??= record.cells.length;
    const isRow = "cells" in record && record.cells.length === count;
    if (!isRow) brokenLine ??= record.line;
    if (!isRow && !isQuoting(format)) break;
  }
  return { isWhole: brokenLine === null, brokenLine, digest: hash.digest("hex") };
}
