import { wordKey } from "./reader.ts";

const FIELD = "(?:fields?|parameters?|params?|arguments?|array key|key|index|property|attribute|input)";
const LACKS = "(?:required|missing|empty|undefined)";
const UNGIVEN = "not (?:provided|set|given|specified|present)";

/** Say that the field "@" is missing, and not that its value is wrong, or that nobody needs or offers what it is called after. */
const LACKING: readonly RegExp[] = [
  new RegExp(`(?<!\\bno )@(?: id)?(?: is| was| can not be)? ${LACKS}(?= \\||$)`),
  new RegExp(`@(?: id)? ${FIELD} (?:(?:is |was )?(?:${LACKS}|${UNGIVEN})|must be provided)\\b`),
  new RegExp(`\\b(?:missing|required|undefined|empty) (?:required )?${FIELD} (?:is |are )?@`),
  new RegExp(`\\b${FIELD} @ (?:is |was )?(?:${LACKS}|${UNGIVEN})\\b`),
  new RegExp(`\\b(?:missing|required) @(?: id)?(?: ${FIELD})?(?= \\||$)`),
];

/**
 * Returns which of these parameters an error names as missing: "The order field is required". None of them was sent, so
 * this proves that the call did nothing. Returns null if it names none of them, or several, and if it may mean the thing
 * rather than its parameter: "Refill is not provided".
 */
export function missingParameter(error: string, names: readonly string[]): string | null {
  const words = plain(error.slice(0, 300)).split(" ");
  const named = [...new Set(names)].filter((name) => words.includes(wordKey(name)));
  const [only] = named;
  if (named.length !== 1 || only === undefined) return null;
  const text = words.map((word) => (word === wordKey(only) ? "@" : word)).join(" ");
  return LACKING.some((pattern) => pattern.test(text)) ? only : null;
}

/** Lower case, words apart, and "|" between sentences. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[.,;!?](?=\s|$)|\n/g, " | ")
    .replaceAll(/[^a-z\d|]+/g, " ")
    .trim();
}
