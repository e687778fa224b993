import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE } from "./simulated-durations.ts";

/** How the email API treats every email for a time. `cut`: it takes the email, and the response is lost. */
export type MailMode = "busy" | "down" | "cut" | "hanging" | "slow";
export type MailEvent = { kind: "mail"; at: number; to: number; by: MailMode };

const MODES: MailMode[] = ["busy", "down", "cut", "hanging", "slow"];
const PER_HOUR = 0.5;
/** A hanging call takes real time, up to the product's timeout. */
const HANGS_AT_MOST = 2 * MINUTE;

export function planMail(random: Random, { durationMs }: Profile): MailEvent[] {
  return Array.from({ length: 1 + Math.floor((durationMs / HOUR) * PER_HOUR) }, () => {
    const at = random.upTo(durationMs);
    const by = random.pick(MODES);
    return { kind: "mail", at, to: at + random.upTo(by === "hanging" ? HANGS_AT_MOST : 40 * MINUTE), by };
  });
}
