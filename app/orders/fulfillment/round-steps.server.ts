import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { sendCancellations } from "./cancellations.server.ts";
import type { DispatcherMemory } from "./dispatcher-memory.server.ts";
import { type HeldCursor, syncHeld } from "./held-orders.server.ts";
import { syncHeldRefills, syncRefills } from "./refill-status-sync.server.ts";
import { sendRefills } from "./refills.server.ts";
import { syncStatuses } from "./status-sync.server.ts";

const OLDER_ROUND_MS = 60_000;
const REFILL_ROUND_MS = 60_000;
const HELD_ROUND_MS = HOUR_MS;
/** Wait before held orders or refills are asked for again that the provider was not asked about, or gave no answer about. */
const HELD_RETRY_MS = 5 * MINUTE_MS;
/** Wait before a failed step is repeated. */
export const FAILED_ROUND_MS = 30_000;
/** The time at which nothing is due. */
export const NEVER = Number.POSITIVE_INFINITY;

/** A part of a provider's round. Times are in ms since 1970. */
export type RoundStep = {
  name: string;
  /** A round that starts for the step. Cron and what customers request start those for the others. */
  wakes: boolean;
  /** From when a round runs the step. */
  dueAt(memory: DispatcherMemory, now: number): number;
  /** Runs the step, and `afterCall` between its calls. Returns when the next round has to start for it, or `NEVER`. */
  run(link: ProviderLink, memory: DispatcherMemory, afterCall?: () => void): Promise<number>;
};

export const statuses: RoundStep = {
  name: "sync statuses",
  wakes: true,
  // The clock may have been set back since.
  dueAt: ({ statusesAt }, now) => (statusesAt > now ? now : statusesAt + RECENT_ROUND_MS),
  async run(link, memory, afterCall) {
    memory.statusesAt = Date.now();
    memory.sending.hasAccepted = false;
    const { open, soon } = await syncStatuses(link, memory.statuses, afterCall);
    return open ? memory.statusesAt + (soon ? RECENT_ROUND_MS : OLDER_ROUND_MS) : NEVER;
  },
};

export const cancellations: RoundStep = {
  name: "send cancellations",
  wakes: false,
  dueAt: () => 0,
  async run(link) {
    await sendCancellations(link);
    return NEVER;
  },
};

function heldStep(
  name: string,
  from: "heldFrom" | "heldRefillsFrom",
  sync: (link: ProviderLink, cursor: HeldCursor) => Promise<boolean>,
): RoundStep {
  return {
    name,
    wakes: false,
    dueAt: (memory) => memory[from],
    async run(link, memory) {
      const now = Date.now();
      memory[from] = now + HELD_RETRY_MS;
      if (await sync(link, memory.held)) memory[from] = now + HELD_ROUND_MS;
      return NEVER;
    },
  };
}

export const heldOrders = heldStep("sync held orders", "heldFrom", syncHeld);
export const heldRefills = heldStep("sync held refills", "heldRefillsFrom", syncHeldRefills);

export const refills: RoundStep = {
  name: "send refills",
  wakes: false,
  dueAt: () => 0,
  async run(link, memory) {
    const sent = await sendRefills(link);
    // The provider may finish a refill that was just sent.
    if (sent > 0) memory.refillsFrom = Math.min(memory.refillsFrom, Date.now() + RECENT_ROUND_MS);
    return NEVER;
  },
};

export const refillStatuses: RoundStep = {
  name: "sync refills",
  wakes: true,
  dueAt: ({ refillsFrom }) => refillsFrom,
  async run(link, memory) {
    const now = Date.now();
    memory.refillsFrom = now + FAILED_ROUND_MS;
    const { open, recent } = await syncRefills(link, memory.refills);
    memory.refillsFrom = open ? now + (recent ? RECENT_ROUND_MS : REFILL_ROUND_MS) : NEVER;
    return memory.refillsFrom;
  },
};

/**
 * The steps of a round. Those of a list run one after another, the lists side by side, and begin in this order: a provider may
 * end an order as soon as it is asked to cancel it, which the statuses then tell.
 */
export const STEPS = [
  [cancellations],
  [statuses],
  [heldOrders, heldRefills],
  [refills, refillStatuses],
] as const satisfies RoundStep[][];
