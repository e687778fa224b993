import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE } from "./simulated-durations.ts";

/** How Google treats every call for a time. `cut`: it does what is asked, and the response is lost. */
export type GoogleMode = "busy" | "down" | "cut" | "slow";
/** Each customer has two mailboxes at Google. */
export type MailboxName = "first" | "second";
export type MailboxEvent =
  | {
      kind: "connect_mailbox";
      at: number;
      customer: number;
      mailbox: MailboxName;
      by: "consent" | "denial" | "no scope";
    }
  | { kind: "sync_mailbox"; at: number; customer: number; by: "function" | "form"; copies: number }
  | { kind: "auto_sync"; at: number; customer: number; by: "on" | "off" }
  | { kind: "disconnect_mailbox"; at: number; customer: number }
  /** Its owner ends our access at Google. */
  | { kind: "revoke_grant"; at: number; customer: number; mailbox: MailboxName }
  | { kind: "receive_mail"; at: number; customer: number; mailbox: MailboxName; messages: number }
  | { kind: "trash_mail"; at: number; customer: number; mailbox: MailboxName }
  | { kind: "google"; at: number; to: number; by: GoogleMode };

const MODES: GoogleMode[] = ["busy", "down", "cut", "slow"];
const FAULTS_PER_HOUR = 0.7;
const MAX_ROUNDS = 4;

/** Each customer connects a mailbox, lives with it, ends it, and perhaps connects the other one at once. */
export function planMailboxes(random: Random, { durationMs, customers, mailboxes }: Profile): MailboxEvent[] {
  const events: MailboxEvent[] = [];
  for (let customer = 0; customer < Math.min(customers, mailboxes); customer++) {
    const rounds = Math.min(MAX_ROUNDS, Math.ceil(durationMs / (2 * HOUR)));
    for (let round = 0; round < rounds; round++) {
      const start = Math.floor(((round + random.next() / 2) * durationMs) / rounds);
      events.push(...planRound(random, { customer, start, length: Math.floor(durationMs / rounds / 2) }));
    }
  }
  for (let n = mailboxes === 0 ? 0 : 1 + Math.floor((durationMs / HOUR) * FAULTS_PER_HOUR); n > 0; n--) {
    const at = random.upTo(durationMs);
    events.push({ kind: "google", at, to: at + MINUTE + random.upTo(20 * MINUTE), by: random.pick(MODES) });
  }
  return events;
}

function planRound(
  random: Random,
  { customer, start, length }: { customer: number; start: number; length: number },
): MailboxEvent[] {
  const soon = () => start + MINUTE + random.upTo(length);
  const mailbox = random.pick(["first", "second"] as const);
  const other = mailbox === "first" ? "second" : "first";
  const by = random.pick(["consent", "consent", "consent", "consent", "denial", "no scope"] as const);
  const events: MailboxEvent[] = [{ kind: "connect_mailbox", at: start, customer, mailbox, by }];
  if (random.chance(0.3)) {
    events.push({ kind: "connect_mailbox", at: soon(), customer, mailbox: other, by: "consent" });
  }
  for (let n = 1 + random.upTo(4); n > 0; n--) {
    const copies = random.chance(0.3) ? 2 : 1;
    events.push({ kind: "sync_mailbox", at: soon(), customer, by: random.pick(["function", "form"] as const), copies });
  }
  for (let n = random.upTo(4); n > 0; n--) {
    events.push({ kind: "receive_mail", at: soon(), customer, mailbox, messages: 1 + random.upTo(4) });
  }
  if (random.chance(0.4)) events.push({ kind: "trash_mail", at: soon(), customer, mailbox });
  if (random.chance(0.5)) {
    events.push({ kind: "auto_sync", at: soon(), customer, by: random.chance(0.7) ? "on" : "off" });
  }
  if (random.chance(0.15)) events.push({ kind: "revoke_grant", at: soon(), customer, mailbox });
  if (random.chance(0.5)) {
    // While a sync may run.
    const at = soon();
    events.push({ kind: "sync_mailbox", at, customer, by: "function", copies: 2 });
    events.push({ kind: "disconnect_mailbox", at, customer });
    events.push({ kind: "sync_mailbox", at: at + 2 * MINUTE, customer, by: "function", copies: 1 });
    if (random.chance(0.5)) {
      events.push({ kind: "connect_mailbox", at: at + MINUTE, customer, mailbox: other, by: "consent" });
    }
  }
  return events;
}
