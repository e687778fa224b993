/** One line of RFC 4180 CSV. Text that a spreadsheet would run as a formula is made plain by an apostrophe. */
export function csvLine(cells: (string | number)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  const plain = !isNumber && /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
