import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { DAY, HOUR } from "./simulated-durations.ts";

/** The clock of a visitor's or a customer's device is wrong from now on, by so many ms. */
export type ClockEvent = {
  kind: "wrong_clock";
  at: number;
  by: "visitor" | "customer";
  person: number;
  offset: number;
};

const OFFSETS = [-400 * DAY, -3 * DAY, -HOUR, HOUR, 3 * DAY, 400 * DAY];

export function planClocks(random: Random, { durationMs, visitors, customers }: Profile): ClockEvent[] {
  const people = { visitor: visitors, customer: customers };
  return (["visitor", "customer"] as const).flatMap((by) =>
    Array.from({ length: people[by] }, (_, person) => person)
      .filter(() => random.chance(0.5))
      .map((person): ClockEvent => {
        const at = random.upTo(durationMs / 2);
        return { kind: "wrong_clock", at, by, person, offset: random.pick(OFFSETS) };
      }),
  );
}
