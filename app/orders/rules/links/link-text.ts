/** What fonts don't draw, the empty Braille pattern among them. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Spaces and the same, without the selectors of an emoji's look. */
const AT_ENDS = /\s|(?![\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Spaces and unseen characters as addresses write them: %E2%80%8B. */
const ENCODED_AT_END = /%(?:20|c2%a[0d]|e2%80%(?:8[b-f]|a[a-e])|e2%81%a[\da-f]|ef%bb%bf)$/i;
/** Joiners of Persian words and of emoji, the looks of emoji, and the letters of a flag. */
const DRAWN =
  /(?<=[^\0-\x7f])[\u200c\u200d](?=[^\0-\x7f])|(?<=[^\0-\x7f])[\ufe00-\ufe0f]|\ufe0f(?=\u20e3)|(?<=[\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007f}]/gu;

/** What a form says beside a link that `hasUnseen`. */
export const UNSEEN_LINK = "This link contains an invisible character. Copy it again, or type it";

/** Returns a text without the spaces and unseen characters at its ends, which apps add to what is copied. */
export function trimUnseen(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && AT_ENDS.test(text[start] ?? "")) start++;
  while (start < end && AT_ENDS.test(text[end - 1] ?? "")) end--;
  return text.slice(start, end);
}

/** Returns a link as it was meant: `trimUnseen`, for those that an address writes as %E2%80%8B too. */
export function trimLink(text: string): string {
  let link = trimUnseen(text);
  for (let found = ENCODED_AT_END.exec(link); found; found = ENCODED_AT_END.exec(link)) {
    link = trimUnseen(link.slice(0, found.index));
  }
  return link;
}

/** Returns whether a text is another one than it looks like. A provider reads what a person doesn't see. */
export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text.replaceAll(DRAWN, ""));
}
