import type { AlertCondition } from "#app/db/schema.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import type { AlertReading } from "./alert-reading.ts";

/** A condition that returns within this time is the same event: nobody hears of it twice. */
export const CLEAR_AFTER_MS = 10 * MINUTE_MS;
/** Doublings of that time, at most, for a condition that keeps coming back: 160 minutes. */
const MAX_DOUBLINGS = 4;
/** The figures of an open alert change often, and each change would be a write. */
export const FACTS_EVERY_MS = 5 * MINUTE_MS;

/** A condition that could be read, and all of its subjects that are affected. */
export type Check = { condition: AlertCondition; readings: AlertReading[] };

/** `endedLately`: how many alerts of the same condition and subject ended in the last day. */
export type OpenAlert = {
  id: string;
  openedAt: number;
  factsAt: number;
  clearSince: number | null;
  endedLately: number;
} & AlertReading;

export type AlertChange =
  | { kind: "open"; reading: AlertReading }
  /** The condition goes on, or came back in time. */
  | { kind: "update"; alert: OpenAlert; reading: AlertReading }
  /** The condition is over for now. */
  | { kind: "clear"; alert: OpenAlert }
  | { kind: "close"; alert: OpenAlert; clearSince: number };

/** Decides what the checks change. An alert whose condition could not be read stays as it is. */
export function alertChanges(open: OpenAlert[], checks: Check[], now: number): AlertChange[] {
  return checks.flatMap(({ condition, readings }) => {
    const alerts = open.filter((alert) => alert.condition === condition);
    const opened = readings
      .filter(({ subject }) => !alerts.some((alert) => alert.subject === subject))
      .map((reading): AlertChange => ({ kind: "open", reading }));
    const others = alerts.flatMap((alert) => {
      const reading = readings.find(({ subject }) => subject === alert.subject);
      return (reading ? goesOn(alert, reading, now) : isOver(alert, now)) ?? [];
    });
    return [...opened, ...others];
  });
}

function goesOn(alert: OpenAlert, reading: AlertReading, now: number): AlertChange | null {
  const isDue = now - alert.factsAt >= FACTS_EVERY_MS && JSON.stringify(alert.facts) !== JSON.stringify(reading.facts);
  return alert.clearSince !== null || isDue ? { kind: "update", alert, reading } : null;
}

function isOver(alert: OpenAlert, now: number): AlertChange | null {
  const { clearSince, endedLately } = alert;
  if (clearSince === null) return { kind: "clear", alert };
  const clearAfterMs = CLEAR_AFTER_MS * 2 ** Math.min(endedLately, MAX_DOUBLINGS);
  return now - clearSince >= clearAfterMs ? { kind: "close", alert, clearSince } : null;
}
