import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE, SECOND } from "./simulated-durations.ts";

export type PlatformEvent =
  /** `name`: the time counts from when the customer of this event sends the form that matters. */
  | { kind: "kill"; at: number; afterRealMs: number; name?: string }
  /** The databases stand still for `ms`: before they carry out what is called, or before they answer. */
  | { kind: "stall"; at: number; ms: number; point: "calls" | "answers" }
  | { kind: "database"; at: number; to: number; refuse: number; lose: number; slowMs: number };

const DATABASE_FAULTS = [
  { refuse: 0.3, lose: 0, slowMs: 0 },
  { refuse: 0, lose: 0.1, slowMs: 0 },
  { refuse: 0, lose: 0, slowMs: 100 },
  { refuse: 1, lose: 0, slowMs: 0 },
];

/** Kills at one of `busyTimes`: they matter most while there is work. */
export function planPlatform(random: Random, profile: Profile, busyTimes: number[]): PlatformEvent[] {
  const events: PlatformEvent[] = [];
  for (let n = 0; n < profile.kills && busyTimes.length > 0; n++) {
    events.push({ kind: "kill", at: random.pick(busyTimes), afterRealMs: random.upTo(400) });
  }
  for (let n = 0; n < profile.databaseFaults; n++) {
    const at = random.upTo(profile.durationMs);
    const to = at + MINUTE + random.upTo(10 * MINUTE);
    events.push({ kind: "database", at, to, ...random.pick(DATABASE_FAULTS) });
  }
  return events;
}

const SHORTEST_STALL = 2 * SECOND;
const LONGEST_STALL = 25 * SECOND;
const AWAY = 80 * SECOND;

/** An hour in which the databases stand still once in each minute, and a time in which they are away. D1 is known for both. */
export function planStalls(random: Random, { durationMs, databaseFaults }: Profile): PlatformEvent[] {
  if (databaseFaults === 0) return [];
  const begin = random.upTo(durationMs - HOUR);
  const point = () => random.pick(["calls", "answers"] as const);
  const minutes = Array.from({ length: HOUR / MINUTE }, (_, minute): PlatformEvent => {
    const ms = SHORTEST_STALL + random.upTo(LONGEST_STALL - SHORTEST_STALL + 1);
    return { kind: "stall", at: begin + minute * MINUTE, ms, point: point() };
  });
  return [...minutes, { kind: "stall", at: random.upTo(durationMs), ms: AWAY, point: point() }];
}
