/** Formats one line of RFC 4180 CSV. Prefixes formulas with an apostrophe, so that no spreadsheet runs them. */
export function csvLine(cells: (string | number)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  const plain = !isNumber && /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
