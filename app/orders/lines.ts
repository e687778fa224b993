/** The lines of a list that hold anything. Real clients split with \r\n or \n. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
