import { outsideJson } from "#app/http/outside-json.ts";
import { ownValue } from "#app/own-value.ts";

/** The part of an email that Gmail sends for a reaction. See https://developers.google.com/workspace/gmail/reactions/format. */
export const REACTION_TYPE = "text/vnd.google.email-reaction+json";
const REACTION_MAX_BYTES = 1000;
const EMOJI_MAX_CHARS = 40;
const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Component}]{1,40}$/u;

/** The names that Outlook gives the pictures of its six reactions. */
const OUTLOOK_EMOJI = { like: "👍", heart: "❤️", celebrate: "🎉", laugh: "😆", surprised: "😮", sad: "😢" };
const OUTLOOK_REACTION = /^\[([a-z]{3,9})\]\s{1,4}[^\n]{1,200} reacted to your (?:message|post):?$/i;

/**
 * Returns the emoji of a reaction by Outlook, or null if the answer is not one. Outside of its own company Outlook sends an
 * email without a header or a part that tells: the name of a picture in brackets and "Ada reacted to your message:", above
 * the usual quotation. In other languages, or with another picture, that line is the answer.
 */
export function outlookReactionOf(answer: string): string | null {
  const name = OUTLOOK_REACTION.exec(answer.trim())?.[1]?.toLowerCase();
  return (name && ownValue(OUTLOOK_EMOJI, name)) ?? null;
}

/** Returns the emoji of a reaction, or null if the email is not one. */
export function reactionOf(content: Uint8Array): string | null {
  if (content.length > REACTION_MAX_BYTES) return null;
  const value = outsideJson(new TextDecoder().decode(content), 20);
  const emoji = typeof value === "object" && value !== null && "emoji" in value ? value.emoji : null;
  if (typeof emoji !== "string" || emoji.length > EMOJI_MAX_CHARS) return null;
  return EMOJI.test(emoji) && /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(emoji) ? emoji : null;
}
