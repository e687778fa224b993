/** Splits a text into parts of up to `max` UTF-16 units, at a line's end or a space where there is one. No character is cut. */
export function messageParts(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const start = rest.slice(0, max + 1);
    const breaks = [start.lastIndexOf("\n"), start.lastIndexOf(" ")];
    const end = breaks.find((at) => at > max / 2) ?? (isInsideCharacter(rest, max) ? max - 1 : max);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^[ \n]/, "");
  }
  return [...parts, rest];
}

function isInsideCharacter(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
