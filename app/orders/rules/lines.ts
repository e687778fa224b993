/** The lines of a list that hold anything. Real clients split with \r\n or \n; a lone \r splits as well, as it may at a provider. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
