import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { MINUTE } from "./simulated-durations.ts";

export type ChatEvent =
  /** A visitor or an agent writes in that visitor's conversation. */
  | { kind: "say"; at: number; visitor: number; agent: number | null; text: string }
  /** Their connection breaks and comes back. */
  | { kind: "drop"; at: number; visitor: number; agent: number | null }
  /** The agent's session or role ends while the socket is open. A later event of theirs begins with a new log-in. */
  | { kind: "end_agent"; at: number; agent: number; by: "log_out" | "demotion" }
  | { kind: "evict"; at: number; visitor: number };

const TEXTS = ["hello", "¿dónde está?", "متى", "🙂👩‍👩‍👧‍👦", "<b>bold</b>", "a\nb", "x".repeat(3900)];

/** Conversations come in bursts, with what interrupts them. */
export function planChats(random: Random, { durationMs, visitors, agents, messages }: Profile): ChatEvent[] {
  const events: ChatEvent[] = [];
  for (let n = 0; n < messages; ) {
    const at = random.upTo(durationMs);
    const visitor = random.upTo(visitors);
    const partner = random.upTo(agents);
    const length = random.chance(0.03) ? 60 : 1 + random.upTo(12);
    for (let left = Math.min(length, messages - n); left > 0; left--, n++) {
      const agent = random.chance(0.5) ? partner : null;
      const when = at + random.upTo(10 * MINUTE);
      events.push({ kind: "say", at: when, visitor, agent, text: `message ${n} ${random.pick(TEXTS)}` });
    }
    if (random.chance(0.4)) {
      const agent = random.chance(0.5) ? partner : null;
      events.push({ kind: "drop", at: at + random.upTo(10 * MINUTE), visitor, agent });
    }
    if (random.chance(0.15)) {
      const by = random.chance(0.7) ? "log_out" : "demotion";
      events.push({ kind: "end_agent", at: at + random.upTo(10 * MINUTE), agent: partner, by });
    }
    if (random.chance(0.2)) events.push({ kind: "evict", at: at + random.upTo(20 * MINUTE), visitor });
  }
  return events;
}
