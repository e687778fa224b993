import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";
import { DAY, HOUR, MINUTE } from "./simulated-durations.ts";

/** A way in which a customer's receiver treats every webhook for a time. */
export type ReceiverMode = "failing" | "cut" | "hanging" | "slow" | "redirecting" | "gone";
export type Outage = { from: number; to: number; mode: ReceiverMode };
/** The kinds of events that a customer ticks in the form. */
export type Wants = "orders" | "catalog" | "both";
export type WebhookEvent =
  /** A customer registers a webhook. Times of outages are simulated ms since the script's beginning. */
  | { kind: "webhook"; at: number; name: string; customer: number; wants: Wants; outages: Outage[] }
  | { kind: "change_webhook"; at: number; webhook: string; by: "new secret" | "deletion" };

const WANTS: Wants[] = ["orders", "catalog", "both", "both"];
const MODES: ReceiverMode[] = ["failing", "cut", "hanging", "slow", "redirecting", "gone"];
/** A hanging call takes real time, up to the product's timeout. */
const HANGS_AT_MOST = 2 * MINUTE;

/** A longer run has receivers that never come back, so that their webhooks are turned off. */
const LONG_RUN = 4 * DAY;

export function planWebhooks(random: Random, { durationMs, customers }: Profile): WebhookEvent[] {
  const events: WebhookEvent[] = [];
  for (let customer = 0; customer < customers; customer++) {
    for (let n = customer === 0 ? 2 : random.upTo(3); n > 0; n--) {
      const name = `webhook-${customer}-${n}`;
      const at = random.upTo(durationMs / 3);
      const outages = Array.from({ length: random.upTo(3) }, (): Outage => {
        const mode = random.pick(MODES);
        const from = at + random.upTo(durationMs - at);
        if (durationMs > LONG_RUN && random.chance(0.5)) return { from: at, to: durationMs, mode: "failing" };
        return { from, to: from + (mode === "hanging" ? random.upTo(HANGS_AT_MOST) : random.upTo(HOUR)), mode };
      });
      events.push({ kind: "webhook", at, name, customer, wants: random.pick(WANTS), outages });
      const by = random.chance(0.35) ? "deletion" : "new secret";
      const when = at + random.upTo(durationMs - at);
      if (random.chance(0.4)) events.push({ kind: "change_webhook", at: when, webhook: name, by });
    }
  }
  return events;
}
