import { ownValue } from "#app/own-value.ts";
/** A piece of a message. `href`: where it leads, or null for plain text. */
export type TextPart = { text: string; href: string | null };

const EMAIL = String.raw`[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,63}`;
/** A web address ends at a space, a quote, an angle bracket, and at what shows nothing. */
const WEB = String.raw`https?:\/\/[^\s<>"\x60\p{Cc}\p{Default_Ignorable_Code_Point}]+`;
const LINK = new RegExp(`${WEB}|(?:mailto:)?${EMAIL}`, "giu");
/** A link that starts right after one of these is a part of something else: of another scheme, a path, a word. */
const JOINED = /[\p{L}\p{N}_:/@.%+-]$/u;
/** Punctuation, but for what addresses do end with. */
const TRAILING = /(?![/_~$%&+=#@-])[\p{P}\p{S}]$/u;
/** More is no end of a sentence. Each costs a look at the whole link. */
const TRAILING_MAX = 50;
const OPENING: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** Splits a message into text and links: http, https and email. The parts together are the message. */
export function linkParts(message: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of message.matchAll(LINK)) {
    const text = withoutTrailing(found);
    const href = JOINED.test(message.slice(Math.max(0, index - 2), index)) ? null : hrefOf(text);
    if (href === null) continue;
    if (index > end) parts.push({ text: message.slice(end, index), href: null });
    parts.push({ text, href });
    end = index + text.length;
  }
  if (end < message.length) parts.push({ text: message.slice(end), href: null });
  return parts;
}

/** Cuts off punctuation, and brackets that were opened before the link. */
function withoutTrailing(link: string): string {
  let text = link;
  for (let cut = 0; cut < TRAILING_MAX && TRAILING.test(text); cut++) {
    const last = text.slice(-1);
    const opening = ownValue(OPENING, last);
    if (opening !== undefined && text.split(opening).length >= text.split(last).length) break;
    // An emoji is two units, and half of one is no text.
    text = text.slice(0, -([...text.slice(-2)].length === 1 ? 2 : 1));
  }
  return text;
}

function hrefOf(text: string): string | null {
  if (!/^https?:/i.test(text)) return /^mailto:/i.test(text) ? text : `mailto:${text}`;
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, username, password, href } = new URL(text);
  // "https://bank.example@evil.example" leads to the second one.
  const isPlain = username === "" && password === "" && hostname !== "";
  return isPlain && (protocol === "https:" || protocol === "http:") ? href : null;
}
