/** A cut looks as far to both sides for the start of a character that is several code points, such as an emoji. */
const LOOK_AROUND = 64;
const ASCII_BOUNDARY = /^[\x20-\x7e]{2}$/;

/**
 * Returns the beginning of a text, at most `max` UTF-16 code units of it. Ends between two characters as readers see them:
 * never in half a surrogate pair, which becomes U+FFFD once it is stored, nor between a letter and its accent.
 */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, boundaryBefore(text, max));
}

/** Returns the end of a text, at most `max` UTF-16 code units of it, and no part of a character at its start. */
export function cutTextStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const at = text.length - max;
  const before = boundaryBefore(text, at);
  return text.slice(before === at ? at : boundaryAfter(text, at));
}

/** Splits a text into parts of at most `max` UTF-16 code units each, 2 or more, none of which cuts a character. */
export function textParts(text: string, max: number): string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== ""; rest = rest.slice(parts.at(-1)?.length)) parts.push(cutText(rest, max));
  return parts;
}

/** Returns the last place up to `at` that lies between two characters. */
function boundaryBefore(text: string, at: number): number {
  if (at === 0 || ASCII_BOUNDARY.test(text.slice(at - 1, at + 1))) return at;
  const from = Math.max(0, at - LOOK_AROUND);
  const { start } = characterAt(text, from, at);
  if (start > from) return start;
  // One character that is longer than what is cut, or than anyone writes.
  return isInsidePair(text, at) ? at - 1 : at;
}

/** Returns the first place after `at`, which is within a character, that lies between two. */
function boundaryAfter(text: string, at: number): number {
  const { end } = characterAt(text, Math.max(0, at - LOOK_AROUND), at);
  if (end < Math.min(text.length, at + LOOK_AROUND)) return end;
  return isInsidePair(text, at) ? at + 1 : at;
}

/** Returns where the character begins and ends that holds the code unit at `at`, as seen in the text from `from` on. */
function characterAt(text: string, from: number, at: number): { start: number; end: number } {
  const segments = graphemes().segment(text.slice(from, at + LOOK_AROUND));
  const { index, segment } = segments.containing(at - from) ?? { index: at - from, segment: "" };
  return { start: from + index, end: from + index + segment.length };
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

let segmenter: Intl.Segmenter | undefined;

function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter;
}
