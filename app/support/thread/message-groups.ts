import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { MINUTE_MS } from "#app/time.ts";
import { startsDay } from "./day-label.ts";

const TOGETHER_MS = 5 * MINUTE_MS;

/** Returns whether a message goes on from the one before it: same sender, same day, soon after. Its sender isn't named again. */
export function goesOn(message: SupportMessage, before: SupportMessage | undefined): boolean {
  return (
    before !== undefined &&
    before.sender_type === message.sender_type &&
    before.sender_name === message.sender_name &&
    message.created_at - before.created_at < TOGETHER_MS &&
    !startsDay(message.created_at, before.created_at)
  );
}
