import { UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import { HOUR_MS } from "#app/time.ts";

const MORNING_HOUR = 9;

export type SnoozeTime = { label: string; until: number };

/** Returns the times an agent may choose, in the agent's own zone. Mornings are at nine. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const weekday = now.getDay();
  const daysToMonday = ((7 - weekday + 1) % 7) + (weekday === 1 ? 7 : 0);
  return [
    { label: "1 hour", until: now.getTime() + HOUR_MS },
    { label: "3 hours", until: now.getTime() + 3 * HOUR_MS },
    { label: "Until tomorrow morning", until: morningIn(1, now) },
    ...(daysToMonday > 1 ? [{ label: "Until Monday morning", until: morningIn(daysToMonday, now) }] : []),
    { label: "Until the visitor writes", until: UNTIL_ANSWER_MS },
  ];
}

/** Returns nine o'clock that many days ahead, in the agent's own zone. */
export function morningIn(days: number, now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR).getTime();
}
