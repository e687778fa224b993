import { and, eq, getTableColumns, min } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { waitForEach } from "#app/db/bounded-database.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { orders, providerBalances, providers } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import { TAUGHT_WORDS } from "#app/orders/providers/dialect.server.ts";
import { type FulfillmentEnv, ProviderLink, storeCalls } from "#app/orders/providers/provider-link.server.ts";
import { RECENT_ROUND_MS } from "#app/orders/rules/recent-orders.ts";
import type { DispatcherMemory } from "./dispatcher-memory.server.ts";
import { isQueued } from "./indexed-conditions.server.ts";
import { FAILED_ROUND_MS, NEVER, type RoundStep, STEPS, statuses } from "./round-steps.server.ts";
import { newSending, type Sending, Submission, waitingUser } from "./submission.server.ts";
import { isNotOf } from "./submission-claims.server.ts";

/** Orders are sent for this long, and for this long after each status call, so that a round ends. */
const SENDING_MS = 8000;
const SHORTEST_ROUND_MS = 1000;
/** A counted call is stored within this, or at the end of a round that is followed by a pause. */
const TALLY_MS = 60_000;
/** No status call is added to a round that lasts longer, so that it ends: the next one reads the provider's settings. */
const LONGEST_ROUND_MS = 60_000;

type NoteFailure = (error: unknown) => void;
type Round = { link: ProviderLink; memory: DispatcherMemory; noteFailure: NoteFailure };

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
  noteFailure: NoteFailure = () => {},
): Promise<number | null> {
  let dueIn: number | null = null;
  try {
    const link = await openLink(db, env, providerId, memory);
    const nextAt = link ? await runRound({ link, memory, noteFailure }) : NEVER;
    if (nextAt !== NEVER) dueIn = Math.max(0, nextAt - Date.now());
    return dueIn;
  } finally {
    await storeTally(db, providerId, memory, dueIn);
  }
}

/** Returns the link for a round, or null if there is no such provider or it is turned off. */
async function openLink(
  db: Db,
  env: FulfillmentEnv,
  providerId: number,
  memory: DispatcherMemory,
): Promise<ProviderLink | null> {
  const [provider] = await db
    .select({ ...getTableColumns(providers), balanceCurrency: providerBalances.currency, taught: TAUGHT_WORDS })
    .from(providers)
    .leftJoin(providerBalances, eq(providerBalances.providerId, providers.id))
    .where(eq(providers.id, providerId));
  if (!provider?.enabled) return null;
  forgetOtherAccount(memory, sha256(`${provider.apiUrl} ${provider.encryptedKey}`));
  await recallSuspect(db, memory.sending);
  return new ProviderLink(db, env, provider, memory);
}

/** Forgets the back-offs that are about another URL or key: new settings are tried at once. */
function forgetOtherAccount(memory: DispatcherMemory, account: string): void {
  if (memory.account !== account) {
    memory.sending = newSending();
    memory.statuses.failingSince = 0;
    memory.refills.failingSince = 0;
  }
  memory.account = account;
}

/** Reads the customer with the last unknown outcome: only the order is kept between two memories. */
async function recallSuspect(db: Db, { suspect }: Sending): Promise<void> {
  if (!suspect) return;
  const [order] = await db.select({ userId: orders.userId }).from(orders).where(eq(orders.id, suspect.orderId));
  suspect.userId = order?.userId ?? "";
}

/** Runs the steps that are due, and sends orders meanwhile. Returns when the next round has to start (ms since 1970). */
async function runRound(round: Round): Promise<number> {
  const { link, memory } = round;
  if (!(await link.isUp())) return Math.max(Date.now() + SHORTEST_ROUND_MS, link.openUntil);
  const startedAt = Date.now();
  const submission = new Submission(link, memory.sending, startedAt + SENDING_MS);
  memory.send = () => submission.more();
  const times: number[] = [];
  const run = async (steps: readonly RoundStep[], afterCall?: () => void) => {
    for (const step of steps) times.push(await runStep(step, round, afterCall));
  };
  const running = STEPS.map((steps) => run(steps, () => submission.more(Date.now() + SENDING_MS)));
  const [, firstStatuses] = running;
  const ended = submission
    .goOnWhile(Promise.all(running))
    .then(() => attempt("submit orders", round, () => submission.end()));
  await firstStatuses;
  // A call that hangs keeps the round from its end, but no customer from seeing the news of their order.
  while ((await within(memory.statusesAt + RECENT_ROUND_MS - Date.now(), ended)) === null) {
    if (Date.now() - startedAt > LONGEST_ROUND_MS) break;
    await submission.goOnWhile(run([statuses]));
  }
  if (!(await ended)) memory.sending.from = Date.now() + FAILED_ROUND_MS;
  memory.send = null;
  return Math.min(...times, await ordersDueAt(link, memory));
}

/** Runs a step if it is due. Returns when the next round has to start for it. */
async function runStep(step: RoundStep, round: Round, afterCall?: () => void): Promise<number> {
  const now = Date.now();
  let nextAt = step.dueAt(round.memory, now);
  if (nextAt <= now) {
    const isDone = await attempt(step.name, round, async () => {
      nextAt = await step.run(round.link, round.memory, afterCall);
    });
    if (!isDone) nextAt = Date.now() + FAILED_ROUND_MS;
  }
  return step.wakes ? nextAt : NEVER;
}

/** Returns whether the work succeeded. */
function attempt(step: string, { link, noteFailure }: Round, work: () => Promise<void>): Promise<boolean> {
  return runLogged("fulfillment step failed", { step, provider: link.id }, async () => {
    try {
      await work();
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  });
}

/** Returns when the next round has to start to send orders, or to follow those that were just accepted. */
async function ordersDueAt(link: ProviderLink, { sending, statusesAt }: DispatcherMemory): Promise<number> {
  const waiting = waitingUser(sending);
  const queuedAt = await nextQueuedAt(link, waiting);
  return Math.min(
    sending.hasAccepted ? statusesAt + RECENT_ROUND_MS : NEVER,
    waiting === null ? NEVER : (sending.suspect?.from ?? 0),
    queuedAt === null ? NEVER : Math.max(queuedAt, link.pausedUntil, sending.from),
    link.mayGoOn() ? NEVER : Date.now(),
  );
}

/** Returns when the next queued order of any customer but one is due, in ms since 1970, or null if there is none. */
async function nextQueuedAt({ db, id }: ProviderLink, waitingUserId: string | null): Promise<number | null> {
  const [soonest] = await db
    .select({ at: min(orders.leaseUntil) })
    .from(orders)
    .where(and(isQueued, eq(orders.providerId, id), isNotOf(waitingUserId)));
  return soonest?.at ?? null;
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
