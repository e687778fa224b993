import * as v from "valibot";
import { parseAs, type SupportMessage } from "./frames.ts";

const rating = v.picklist(["good", "bad"]);
const body = v.strictObject({ rating });
export type Rating = v.InferOutput<typeof rating>;

/** Parses the HTTP body of a rating. Returns null if it is invalid. */
export function parseRating(value: unknown): Rating | null {
  return parseAs(body, value)?.rating ?? null;
}

const PREFIX = "rating-";
const LABELS: Record<Rating, string> = { good: "Good", bad: "Bad" };

/** `lastSeq`: seq of the last message before the rating, so that each closing is rated once. */
export function ratingClientId(lastSeq: number): string {
  return `${PREFIX}${lastSeq}`;
}

export function isRating(message: SupportMessage): boolean {
  return message.sender_type === "system" && message.client_id.startsWith(PREFIX);
}

/** Returns the message that agents and the transcript show. */
export function ratingText(name: string, rating: Rating): string {
  return `${name} rated this conversation: ${LABELS[rating]}`;
}

/** Returns the same message as the visitor sees it. */
export function ownRatingText({ message }: SupportMessage): string {
  return `You rated this: ${message.endsWith(LABELS.good) ? LABELS.good : LABELS.bad}`;
}
