import { outsideJson } from "#app/http/outside-json.ts";

/** The part of an email that Gmail sends for a reaction. See https://developers.google.com/workspace/gmail/reactions/format. */
export const REACTION_TYPE = "text/vnd.google.email-reaction+json";
const REACTION_MAX_BYTES = 1000;
const EMOJI_MAX_CHARS = 40;
const EMOJI = /^[\p{Extended_Pictographic}\p{Emoji_Component}]{1,40}$/u;

/** Returns the emoji of a reaction, or null if the email is not one. */
export function reactionOf(content: Uint8Array): string | null {
  if (content.length > REACTION_MAX_BYTES) return null;
  const value = outsideJson(new TextDecoder().decode(content), 20);
  const emoji = typeof value === "object" && value !== null && "emoji" in value ? value.emoji : null;
  if (typeof emoji !== "string" || emoji.length > EMOJI_MAX_CHARS) return null;
  return EMOJI.test(emoji) && /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(emoji) ? emoji : null;
}
