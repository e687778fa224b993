/** Returns the non-empty lines of a list. Clients send \r\n or \n; a lone \r splits too, because it may at a provider. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
