/** Characters that fonts don't draw, among them the empty Braille pattern. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Spaces and the same, without the selectors of an emoji's look. */
const AT_ENDS = /\s|(?![\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Spaces and unseen characters as addresses write them: %E2%80%8B. */
const ENCODED_AT_END = /%(?:20|c2%a[0d]|e2%80%(?:8[b-f]|a[a-e])|e2%81%a[\da-f]|ef%bb%bf)$/i;
const ENCODED_CHARACTERS = "%E2%80%8B".length;
/** The letters of a flag, a key's look, and what is seen with its look and a joiner to the next: emoji and Persian words. */
const DRAWN =
  /\u{1f3f4}[\u{e0020}-\u{e007f}]+|[\d#*]\ufe0f\u20e3|(?![\p{Default_Ignorable_Code_Point}\u2800])[^\0-\x7f][\ufe00-\ufe0f]?(?:[\u200c\u200d](?=[^\0-\x7f]))?/gu;

/** So much of a link says where its unseen character is. */
const SHOWN_BEFORE = 24;

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
  for (;;) {
    const [ending] = ENCODED_AT_END.exec(link.slice(-ENCODED_CHARACTERS)) ?? [];
    if (!ending) return link;
    link = trimUnseen(link.slice(0, -ending.length));
  }
}

/** Returns whether a text has characters that a person doesn't see and a provider reads. */
export function hasUnseen(text: string): boolean {
  return seenBefore(text) !== null;
}

/** Returns the text before the first invisible character, or null if every character is visible. */
export function seenBefore(text: string): string | null {
  const at = text.replaceAll(DRAWN, (drawn) => "x".repeat(drawn.length)).search(UNSEEN);
  return at === -1 ? null : text.slice(0, at);
}

/** Says where a link has an unseen character: after what `seenBefore` returns. */
export function unseenLinkText(before: string): string {
  const characters = [...before];
  const cut = characters.length > SHOWN_BEFORE ? "…" : "";
  const shown = characters.slice(-SHOWN_BEFORE).join("");
  const where = before === "" ? "at its start" : `after “${cut}${shown}”`;
  return `This link contains an invisible character ${where}. Delete it, or type the link again`;
}
