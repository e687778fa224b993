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

/**
 * Before a formula, which programs find behind quotes and what they trim or don't show (blanks, controls, format
 * characters), and in full-width and small signs. What separates cells is not skipped: looking on from each of many tabs
 * would take quadratic time.
 */
const SKIPPED = String.raw`[\p{Z}\p{Cf}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f'"]*`;
const FORMULA = String.raw`(?=${SKIPPED}[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])`;
const UNGUARDED = new RegExp(String.raw`^(?:(?='*[\t\r\n])|${FORMULA})|(?<=[;\t\r\n])${FORMULA}`, "gu");
const GUARDED = new RegExp(String.raw`^'(?:(?='*[\t\r\n])|${FORMULA})|(?<=[;\t\r\n])'${FORMULA}`, "gu");

function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  const plain = isNumber ? value : value.replaceAll(UNGUARDED, "'");
  return /[",;\t\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
