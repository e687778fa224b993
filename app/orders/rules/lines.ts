import { trimUnseen } from "./links/link-text.ts";

/**
 * Returns the lines of a list that aren't blank. A line of invisible characters is blank. Splits at \r\n, \n and a lone \r,
 * which a provider may treat as a line break.
 */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => trimUnseen(line) !== "");
}
