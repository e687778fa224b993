import { wordKey } from "./reading/reader.ts";

const FIELD = "(?:fields?|parameters?|params?|arguments?|array key|key|index|property|attribute|input)";
const LACKS = "(?:required|missing|empty|undefined)";
const UNGIVEN = "not (?:provided|set|given|specified|present)";

/** Says that this field is missing, and not that its value is wrong, or that nobody needs or offers what it is called after. */
function lacks(name: string): RegExp {
  return new RegExp(
    [
      `(?<!\\bno )\\b${name}(?: id)?(?: is| was| can not be)? ${LACKS}(?= \\||$)`,
      `\\b${name}(?: id)? ${FIELD} (?:(?:is |was )?(?:${LACKS}|${UNGIVEN})|must be provided)\\b`,
      `\\b(?:missing|required|undefined|empty) (?:required )?${FIELD} (?:is |are )?${name}\\b`,
      `\\b${FIELD} ${name} (?:is |was )?(?:${LACKS}|${UNGIVEN})\\b`,
      `\\b(?:missing|required) ${name}(?: id)?(?: ${FIELD})?(?= \\||$)`,
    ].join("|"),
  );
}

/**
 * Returns which of these parameters an error names as missing: "The order field is required". None of them was sent, so
 * this proves that the call did nothing. Returns null if it names none of them, or several, and if it may mean the thing
 * rather than its parameter: "Refill is not provided".
 */
export function missingParameter(error: string, names: readonly string[]): string | null {
  const text = plain(error.slice(0, 300));
  const words = new Set(text.split(" ").map(wordKey));
  const named = [...new Set(names)].filter((name) => words.has(wordKey(name)));
  const [only] = named;
  return named.length === 1 && only !== undefined && lacks(wordKey(only)).test(text) ? only : null;
}

/** Lower case, words apart, and "|" between sentences. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[.,;!?](?=\s|$)|\n/g, " | ")
    .replaceAll(/[^a-z\d|]+/g, " ")
    .trim();
}
