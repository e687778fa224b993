import * as z from "zod/mini";
import type { SupportMessage } from "./protocol.ts";

export const ratingSchema = z.strictObject({ rating: z.enum(["good", "bad"]) });
export type Rating = z.infer<typeof ratingSchema>["rating"];

const PREFIX = "rating-";

/** `lastSeq`: of the conversation as it was closed. */
export function ratingClientId(lastSeq: number): string {
  return `${PREFIX}${lastSeq}`;
}

export function isRating(message: SupportMessage): boolean {
  return message.sender_type === "system" && message.client_id.startsWith(PREFIX);
}

export function ratingText(name: string, rating: Rating): string {
  return `${name} rated this conversation: ${rating === "good" ? "Good" : "Bad"}`;
}
