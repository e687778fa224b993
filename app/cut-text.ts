/** A cut looks back as far for the start of a character that is written with several code points, such as an emoji. */
const LOOK_BACK = 64;
const ASCII_BOUNDARY = /^[\x20-\x7e]{2}$/;

/**
 * Returns the beginning of a text, at most `max` UTF-16 code units of it. Ends between two characters as readers see them:
 * never in half a surrogate pair, which becomes U+FFFD once it is stored, nor between a letter and its accent.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  if (ASCII_BOUNDARY.test(text.slice(max - 1, max + 1))) return text.slice(0, max);
  const from = Math.max(0, max - LOOK_BACK);
  const { index } = graphemes()
    .segment(text.slice(from, max + LOOK_BACK))
    .containing(max - from) ?? { index: 0 };
  if (index > 0) return text.slice(0, from + index);
  // One character that is longer than what is looked at.
  const cut = text.slice(0, max);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

let segmenter: Intl.Segmenter | undefined;

function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter;
}
