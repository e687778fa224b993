import { wordKey } from "./reading/reader.ts";

/** Says that a field is missing, and not that its value is wrong. */
const IS_MISSING =
  /\b(?:required|missing|not provided|not set|not given|not specified|must be provided|is empty|undefined)\b/;

/**
 * Returns which of these parameters an error names as missing: "The order field is required". None of them was sent, so
 * this proves that the call did nothing. Returns null if it names none of them, or several.
 */
export function missingParameter(error: string, names: readonly string[]): string | null {
  const text = error.toLowerCase().slice(0, 300);
  if (!IS_MISSING.test(text)) return null;
  const words = new Set(text.split(/[^a-z\d_]/).map(wordKey));
  const named = [...new Set(names)].filter((name) => words.has(wordKey(name)));
  return named.length === 1 ? (named[0] ?? null) : null;
}
