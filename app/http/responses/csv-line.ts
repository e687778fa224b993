/**
 * Formats one line of RFC 4180 CSV. Puts an apostrophe before formulas, so that no spreadsheet runs them. Some programs
 * separate at semicolons or tabs and don't see the quotes inside a line, so that is done wherever a cell may begin for
 * them, too.
 */
export function csvLine(cells: (string | number)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Returns the text of a cell that `csvLine` wrote. */
export function cellText(cell: string): string {
  return cell.replaceAll(GUARDED, "");
}

/** Before a formula, which programs find behind blanks and quotes, and in full-width signs. */
const FORMULA = String.raw`(?=[ \u00a0\u3000'"]*[=+\-@\uff1d\uff0b\uff0d\uff20])`;
const UNGUARDED = new RegExp(String.raw`^(?:(?='*[\t\r\n])|${FORMULA})|(?<=[;\t\r\n])${FORMULA}`, "g");
const GUARDED = new RegExp(String.raw`^'(?:(?='*[\t\r\n])|${FORMULA})|(?<=[;\t\r\n])'${FORMULA}`, "g");

function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  const plain = isNumber ? value : value.replaceAll(UNGUARDED, "'");
  return /[",;\t\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
