import * as v from "valibot";
import { type SupportMessage, take } from "./frames.ts";

const rating = v.picklist(["good", "bad"]);
const rated = v.strictObject({ rating });
export type Rating = v.InferOutput<typeof rating>;

/** Null for what is no rating. */
export function parseRating(value: unknown): Rating | null {
  return take(rated, value)?.rating ?? null;
}

const PREFIX = "rating-";

/** `lastSeq`: of the conversation as it was closed. */
export function ratingClientId(lastSeq: number): string {
  return `${PREFIX}${lastSeq}`;
}

export function isRating(message: SupportMessage): boolean {
  return message.sender_type === "system" && message.client_id.startsWith(PREFIX);
}

export function ratingText(name: string, given: Rating): string {
  return `${name} rated this conversation: ${given === "good" ? "Good" : "Bad"}`;
}
