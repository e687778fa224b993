import type { LinkMemory } from "#app/orders/providers/provider-link.server.ts";
import type { HeldCursor } from "./held-orders.server.ts";
import { type CallState, newCallState } from "./status-calls.server.ts";
import { newStatusCursor, type StatusCursor } from "./status-sync.server.ts";
import { newSending, type Sending } from "./submission.server.ts";

/** Memory of one provider's dispatcher between rounds. D1 is the record, so all of it may be lost. */
export type DispatcherMemory = LinkMemory & {
  /** A digest of the URL and key that the back-offs are about. */
  account: string;
  sending: Sending;
  statuses: StatusCursor;
  statusesAt: number;
  /** When held orders with a provider id are asked for next, and held refills. */
  heldFrom: number;
  heldRefillsFrom: number;
  held: HeldCursor;
  refills: CallState;
  /** When the statuses of refills are asked for next. */
  refillsFrom: number;
  /** When calls were stored last. Those in the tally aren't stored yet. */
  talliedAt: number;
  /** Sends what was just placed, while a round runs. */
  send: (() => void) | null;
};

/** The back-offs in a dispatcher's memory. The platform evicts an object after ten seconds without a round. */
export type KeptMemory = Pick<DispatcherMemory, "account" | "heldFrom" | "heldRefillsFrom"> &
  Pick<Sending, "from" | "unknown"> &
  Pick<StatusCursor, "passStartedAt" | "failingSince"> & {
    refillsFailingSince: number;
    /** Without the customer: nothing of a deleted account may be left in it. */
    suspect: Omit<NonNullable<Sending["suspect"]>, "userId"> | null;
  };

export function newMemory({
  account = "",
  from = 0,
  unknown = 0,
  heldFrom = 0,
  heldRefillsFrom = 0,
  passStartedAt = 0,
  failingSince = 0,
  refillsFailingSince = 0,
  suspect = null,
}: Partial<KeptMemory> = {}): DispatcherMemory {
  return {
    account,
    pace: null,
    sending: { ...newSending(), from, unknown, suspect: suspect && { ...suspect, userId: "" } },
    statuses: { ...newStatusCursor(), passStartedAt, failingSince },
    statusesAt: 0,
    heldFrom,
    heldRefillsFrom,
    held: { order: null, refill: null },
    refills: newCallState(refillsFailingSince),
    refillsFrom: 0,
    tally: { calls: 0, errors: 0 },
    talliedAt: 0,
    statements: { sent: 0 },
    send: null,
  };
}

/** Returns what the next memory of this dispatcher starts with. A pass over older orders that goes on starts anew. */
export function keptOf(memory: DispatcherMemory): KeptMemory {
  const { account, sending, statuses, heldFrom, heldRefillsFrom, refills } = memory;
  const { from, unknown } = sending;
  const passStartedAt = statuses.olderFrom === null ? statuses.passStartedAt : 0;
  let suspect: KeptMemory["suspect"] = null;
  if (sending.suspect) {
    const { userId: _, ...rest } = sending.suspect;
    suspect = rest;
  }
  const { failingSince } = statuses;
  const refillsFailingSince = refills.failingSince;
  return {
    account,
    from,
    unknown,
    suspect,
    heldFrom,
    heldRefillsFrom,
    passStartedAt,
    failingSince,
    refillsFailingSince,
  };
}
