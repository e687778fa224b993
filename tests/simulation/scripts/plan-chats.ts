import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE } from "./simulated-durations.ts";

/** `up`: what the client sends is lost. `down`: what the product sends is. */
export type DeadDirection = "up" | "down" | "both";
export type ChatEvent =
  /** A visitor, in one of their tabs, or an agent writes in that visitor's conversation. */
  | { kind: "say"; at: number; visitor: number; agent: number | null; tab: number; text: string }
  /** A visitor writes so many messages at once. */
  | { kind: "flood"; at: number; visitor: number; messages: number }
  /** A visitor sends so many files one after the other, each so often at once. */
  | { kind: "file"; at: number; visitor: number; name: string; bytes: number; copies: number; files?: number }
  /** Somebody has read what they see. */
  | { kind: "read"; at: number; visitor: number; agent: number | null; tab: number }
  /** An agent hides the conversation for so long, or until its visitor writes. */
  | { kind: "snooze"; at: number; visitor: number; agent: number; forMs: number | null }
  /** An agent blocks the visitor, or unblocks them. */
  | { kind: "block"; at: number; visitor: number; agent: number; isBlocked: boolean }
  /** Their connection dies in one direction or both, and nobody is told. They notice when they write again. */
  | { kind: "die"; at: number; visitor: number; agent: number | null; by: DeadDirection }
  /** A visitor tries another's conversation. */
  | { kind: "eavesdrop"; at: number; visitor: number; victim: number; by: "socket" | "messages" | "file" }
  /** Their connection breaks and comes back. */
  | { kind: "drop"; at: number; visitor: number; agent: number | null }
  /** The agent's session or role ends while the socket is open. A later event of theirs begins with a new log-in. */
  | { kind: "end_agent"; at: number; agent: number; by: "log_out" | "demotion" }
  | { kind: "evict"; at: number; visitor: number }
  /** An agent closes the conversation, and its visitor asks for it by email. */
  | { kind: "transcript"; at: number; visitor: number; agent: number };

const TEXTS = ["hello", "¿dónde está?", "متى", "🙂👩‍👩‍👧‍👦", "<b>bold</b>", "a\nb", "x".repeat(3900)];

/** Browser tabs in which a visitor has the conversation open. */
export const TABS = 2;

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
      const tab = random.upTo(TABS);
      events.push({ kind: "say", at: when, visitor, agent, tab, text: `message ${n} ${random.pick(TEXTS)}` });
    }
    if (random.chance(0.4)) {
      const agent = random.chance(0.5) ? partner : null;
      events.push({ kind: "drop", at: at + random.upTo(10 * MINUTE), visitor, agent });
    }
    if (random.chance(0.15)) {
      const by = random.chance(0.7) ? "log_out" : "demotion";
      events.push({ kind: "end_agent", at: at + random.upTo(10 * MINUTE), agent: partner, by });
    }
    const soon = () => at + random.upTo(10 * MINUTE);
    if (random.chance(0.2)) {
      const agent = random.chance(0.5) ? partner : null;
      events.push({ kind: "die", at: soon(), visitor, agent, by: random.pick(["up", "down", "both"] as const) });
    }
    if (random.chance(0.05)) events.push({ kind: "flood", at: soon(), visitor, messages: 30 + random.upTo(60) });
    if (random.chance(0.2)) {
      const bytes = random.chance(0.2) ? 1_000_000 : 100 + random.upTo(5000);
      const copies = random.chance(0.3) ? 2 : 1;
      const files = random.chance(0.3) ? 2 + random.upTo(3) : 1;
      events.push({ kind: "file", at: soon(), visitor, name: `file ${n}.png`, bytes, copies, files });
    }
    for (let reads = random.upTo(4); reads > 0; reads--) {
      const agent = random.chance(0.5) ? partner : null;
      events.push({ kind: "read", at: soon(), visitor, agent, tab: random.upTo(TABS) });
    }
    if (random.chance(0.1)) {
      const forMs = random.chance(0.5) ? null : random.upTo(HOUR);
      events.push({ kind: "snooze", at: soon(), visitor, agent: partner, forMs });
    }
    if (random.chance(0.05)) {
      const from = soon();
      const change = { kind: "block", visitor, agent: partner } as const;
      events.push({ ...change, at: from, isBlocked: true });
      events.push({ ...change, at: from + random.upTo(20 * MINUTE), isBlocked: false });
    }
    const victim = random.upTo(visitors);
    if (random.chance(0.2) && victim !== visitor) {
      const by = random.pick(["socket", "messages", "file"] as const);
      events.push({ kind: "eavesdrop", at: soon(), visitor, victim, by });
    }
    if (random.chance(0.15)) events.push({ kind: "transcript", at: soon(), visitor, agent: partner });
    if (random.chance(0.2)) events.push({ kind: "evict", at: at + random.upTo(20 * MINUTE), visitor });
  }
  return events;
}
