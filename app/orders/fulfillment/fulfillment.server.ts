import { and, eq, getTableColumns, min } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { waitForEach } from "#app/db/bounded-database.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { orders, providerBalances, providers } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { TAUGHT_WORDS } from "#app/orders/providers/dialect.server.ts";
import {
  type CallTally,
  callProvider,
  type FulfillmentEnv,
  mayGoOn,
  needsProbe,
  noteResponse,
  type Provider,
  type StatementCount,
  storeCalls,
  takesCalls,
} from "#app/orders/providers/provider-calls.server.ts";
import { ProviderPace } from "#app/orders/providers/provider-pace.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import { sendCancellations } from "./cancellations.server.ts";
import { type HeldCursor, syncHeld } from "./held-orders.server.ts";
import { isQueued } from "./indexed-conditions.server.ts";
import { syncHeldRefills, syncRefills } from "./refill-status-sync.server.ts";
import { sendRefills } from "./refills.server.ts";
import { type CallState, newCallState } from "./status-calls.server.ts";
import { newStatusCursor, type StatusCursor, syncStatuses } from "./status-sync.server.ts";
import { newSending, type Sending, startSubmission, waitingUser } from "./submission.server.ts";
import { isNotOf } from "./submission-claims.server.ts";

const OLDER_ROUND_MS = 60_000;
const REFILL_ROUND_MS = 60_000;
/** Cron wakes the dispatcher for them. */
const HELD_ROUND_MS = 60 * 60_000;
/** Wait before a round goes on with held orders that the provider was not asked about, or gave no answer about. */
const HELD_RETRY_MS = 5 * 60_000;
/** Wait before a failed step is repeated. */
const FAILED_ROUND_MS = 30_000;
/** Orders are sent for this long, and for this long after each status call, so that a round ends. */
const SENDING_MS = 8000;
const SHORTEST_ROUND_MS = 1000;
/** A counted call is stored within this, or at the end of a round that is followed by a pause. */
const TALLY_MS = 60_000;
/** No status call is added to a round that lasts longer, so that it ends: the next one reads the provider's settings. */
const LONGEST_ROUND_MS = 60_000;

/** Memory of one provider's dispatcher between rounds. D1 is the record, so all of it may be lost. */
export type DispatcherMemory = {
  /** A digest of the URL and key that the back-offs are about. */
  account: string;
  pace: ProviderPace | null;
  sending: Sending;
  statuses: StatusCursor;
  statusesAt: number;
  /** When held orders with a provider id are asked for next. */
  heldFrom: number;
  held: HeldCursor;
  refills: CallState;
  /** When the statuses of refills are asked for next. */
  refillsFrom: number;
  /** The calls that are not stored yet, and when some were stored last. */
  tally: CallTally;
  talliedAt: number;
  /** The statements of the round that runs. */
  statements: StatementCount;
  /** Sends what was just placed, while a round runs. */
  send: (() => void) | null;
};

/** The back-offs in a dispatcher's memory. The platform evicts an object after ten seconds without a round. */
export type KeptMemory = Pick<DispatcherMemory, "account" | "heldFrom"> &
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
export function keptOf({ account, sending, statuses, heldFrom, refills }: DispatcherMemory): KeptMemory {
  const { from, unknown } = sending;
  const passStartedAt = statuses.olderFrom === null ? statuses.passStartedAt : 0;
  let suspect: KeptMemory["suspect"] = null;
  if (sending.suspect) {
    const { userId: _, ...rest } = sending.suspect;
    suspect = rest;
  }
  const { failingSince } = statuses;
  const refillsFailingSince = refills.failingSince;
  return { account, from, unknown, suspect, heldFrom, passStartedAt, failingSince, refillsFailingSince };
}

/** Connects a dispatcher's next round to the database and counts its statements. */
export function connectRound(database: D1Database, { statements }: DispatcherMemory): Db {
  statements.sent = 0;
  const count = (some: number) => {
    statements.sent += some;
  };
  return connect(database, undefined, { ...waitForEach(), count });
}

/**
 * Does what is due at one provider, side by side at the provider's pace: submits queued orders, sends cancellations and
 * refills, and asks for statuses. Returns in how many ms the next round is due, or null if nothing is open there. A step
 * that fails is logged, given to `noteFailure` and repeated later; it stops no other.
 */
export async function runProvider(
  db: Db,
  env: FulfillmentEnv,
  providerId: number,
  memory: DispatcherMemory,
  noteFailure: (error: unknown) => void = () => {},
): Promise<number | null> {
  let dueIn: number | null = null;
  try {
    dueIn = await runSteps(db, env, providerId, memory, noteFailure);
    return dueIn;
  } finally {
    await storeTally(db, providerId, memory, dueIn);
  }
}

/** Stores the counted calls about once a minute, so that a busy provider's rounds, one every few seconds, write no more. */
async function storeTally(db: Db, providerId: number, memory: DispatcherMemory, dueIn: number | null): Promise<void> {
  const now = Date.now();
  // The platform may evict the memory in a pause.
  const isBusy = dueIn !== null && dueIn <= RECENT_ROUND_MS;
  if (memory.tally.calls === 0 || (isBusy && now - memory.talliedAt < TALLY_MS)) return;
  memory.talliedAt = now;
  await runLogged("provider calls not counted", { provider: providerId }, () =>
    storeCalls(db, providerId, memory.tally, now),
  );
}

async function runSteps(
  db: Db,
  env: FulfillmentEnv,
  providerId: number,
  memory: DispatcherMemory,
  noteFailure: (error: unknown) => void,
): Promise<number | null> {
  const [row] = await db
    .select({ ...getTableColumns(providers), balanceCurrency: providerBalances.currency, taught: TAUGHT_WORDS })
    .from(providers)
    .leftJoin(providerBalances, eq(providerBalances.providerId, providers.id))
    .where(eq(providers.id, providerId));
  if (!row?.enabled) return null;
  const account = sha256(`${row.apiUrl} ${row.encryptedKey}`);
  // New settings are tried at once.
  if (memory.account !== account) {
    memory.sending = newSending();
    memory.statuses.failingSince = 0;
    memory.refills.failingSince = 0;
  }
  memory.account = account;
  if (memory.sending.suspect) {
    const { orderId } = memory.sending.suspect;
    const [order] = await db.select({ userId: orders.userId }).from(orders).where(eq(orders.id, orderId));
    memory.sending.suspect.userId = order?.userId ?? "";
  }
  memory.pace ??= new ProviderPace(row);
  memory.pace.setLimits(row);
  const provider: Provider = { ...row, pace: memory.pace, tally: memory.tally, statements: memory.statements };
  const isUp = takesCalls(provider) && (!needsProbe(provider) || (await probe(db, env, provider)));
  if (!isUp) return Math.max(SHORTEST_ROUND_MS, provider.openUntil - Date.now());

  const now = Date.now();
  let nextAt = Number.POSITIVE_INFINITY;
  const dueAt = (time: number) => {
    nextAt = Math.min(nextAt, time);
  };
  const step = (name: string, work: () => Promise<unknown>) =>
    runLogged("fulfillment step failed", { step: name, provider: providerId }, () =>
      work().catch((error: unknown) => {
        noteFailure(error);
        throw error;
      }),
    );
  let stepsRun = true;
  let following: Promise<void> | null = null;
  const isHeldUp = () => stepsRun || following !== null;
  const submission = startSubmission(db, env, provider, memory.sending, { until: now + SENDING_MS, isHeldUp });
  memory.send = submission.more;
  const statuses = async (afterCall?: () => void) => {
    const since = Date.now() - memory.statusesAt;
    if (since >= 0 && since < RECENT_ROUND_MS) return dueAt(memory.statusesAt + RECENT_ROUND_MS);
    memory.statusesAt = Date.now();
    memory.sending.hasAccepted = false;
    const done = await step("sync statuses", async () => {
      const { open, soon } = await syncStatuses(db, env, provider, memory.statuses, afterCall);
      if (open) dueAt(memory.statusesAt + (soon ? RECENT_ROUND_MS : OLDER_ROUND_MS));
    });
    if (!done) dueAt(Date.now() + FAILED_ROUND_MS);
  };
  const held = async () => {
    if (now < memory.heldFrom) return;
    memory.heldFrom = now + HELD_RETRY_MS;
    const answered: boolean[] = [];
    await step("sync held orders", async () => answered.push(await syncHeld(db, env, provider, memory.held)));
    await step("sync held refills", async () => answered.push(await syncHeldRefills(db, env, provider, memory.held)));
    if (answered.length === 2 && !answered.includes(false)) memory.heldFrom = now + HELD_ROUND_MS;
  };
  const refills = async () => {
    await step("send refills", async () => {
      const sent = await sendRefills(db, env, provider);
      if (sent > 0) memory.refillsFrom = Math.min(memory.refillsFrom, Date.now() + RECENT_ROUND_MS);
    });
    if (now >= memory.refillsFrom) {
      memory.refillsFrom = now + FAILED_ROUND_MS;
      await step("sync refills", async () => {
        const { open, recent } = await syncRefills(db, env, provider, memory.refills);
        const round = recent ? RECENT_ROUND_MS : REFILL_ROUND_MS;
        memory.refillsFrom = open ? now + round : Number.POSITIVE_INFINITY;
      });
    }
    dueAt(memory.refillsFrom);
  };
  const canceled = step("send cancellations", () => sendCancellations(db, env, provider));
  const firstStatuses = statuses(() => submission.more(Date.now() + SENDING_MS));
  const ended = Promise.all([canceled, firstStatuses, held(), refills()]).then(async () => {
    stepsRun = false;
    await submission.idle();
    while (following !== null) {
      await following;
      await submission.idle();
    }
    return step("submit orders", submission.end);
  });
  await firstStatuses;
  // A call that hangs keeps the round from its end, but no customer from seeing the news of their order.
  while ((await within(memory.statusesAt + RECENT_ROUND_MS - Date.now(), ended)) === null) {
    if (Date.now() - now > LONGEST_ROUND_MS) break;
    following = statuses().finally(() => {
      following = null;
    });
    await following;
  }
  if (!(await ended)) memory.sending.from = Date.now() + FAILED_ROUND_MS;
  memory.send = null;
  if (memory.sending.hasAccepted) dueAt(memory.statusesAt + RECENT_ROUND_MS);
  const waiting = waitingUser(memory.sending);
  if (waiting !== null) dueAt(memory.sending.suspect?.from ?? 0);
  const queuedAt = await nextQueuedAt(db, provider, waiting);
  if (!mayGoOn(provider)) dueAt(Date.now());
  if (queuedAt !== null) dueAt(Math.max(queuedAt, provider.pausedUntil, memory.sending.from));
  return Number.isFinite(nextAt) ? Math.max(0, nextAt - Date.now()) : null;
}

/**
 * Asks a provider whose breaker was open for the balance, so that no order is risked. One that answers without JSON may have
 * no such call, and is asked for its services. Returns whether it responds.
 */
async function probe(db: Db, env: FulfillmentEnv, provider: Provider): Promise<boolean> {
  let response = await callProvider(env, provider, { action: "balance" });
  if (isAnsweredWithoutJson(response)) response = await callProvider(env, provider, { action: "services" });
  await noteResponse(db, provider, response, response.kind !== "json");
  return response.kind === "json";
}

function isAnsweredWithoutJson({ kind, httpStatus, raw, isTurnedAway }: ProviderResponse): boolean {
  const isEmpty = kind === "no_response" && httpStatus === 200 && raw.trim() === "";
  return isEmpty || (kind === "unreadable" && !isTurnedAway);
}

/** Returns when the next queued order of any customer but one is due, in ms since 1970, or null if there is none. */
async function nextQueuedAt(db: Db, provider: Provider, waitingUserId: string | null): Promise<number | null> {
  const [soonest] = await db
    .select({ at: min(orders.leaseUntil) })
    .from(orders)
    .where(and(isQueued, eq(orders.providerId, provider.id), isNotOf(waitingUserId)));
  return soonest?.at ?? null;
}
