import { and, asc, eq, lt, lte, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { type EmailStatus, emails } from "#app/db/schema.server.ts";
import { log, logError } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";
import type { SendOutcome } from "./email-outcome.ts";
import { type Attempt, adjustPace, type EmailMemory, retryWait } from "./email-pace.ts";
import { openContent, wakeEmailDispatcher } from "./queue-email.server.ts";
import { type EmailEnv, sendEmail } from "./send-email.server.ts";
import { addressDigest, suppress, suppressedAmong } from "./suppressions.server.ts";

const EMAILS_AT_ONCE = 5;
/** An alarm may run for 15 minutes. A round ends earlier, so that the next one starts from what D1 says. */
const ROUND_MS = 60_000;
/** Each group of emails takes up to 12 queries, 10 of them writes, which count twice. An alarm may send 1,000. */
const GROUPS_PER_ROUND = 40;
const SHORT_PAUSE_MS = 10_000;

export type EmailQueueEnv = EmailEnv & Pick<Env, "ENCRYPTION_KEYS">;
type QueuedEmail = typeof emails.$inferSelect;

/** Literal, because SQLite uses a partial index only if the query repeats its condition. */
const isQueued = sql`${emails.status} = 'queued'`;

/**
 * Sends the emails that are due, a few at once, and returns in how many ms the next one is due, or null if none is
 * queued. While the email API fails, it sends one at a time, with growing pauses.
 *
 * Nothing is claimed before the call: only one dispatcher exists, and an email whose result was lost in a crash is sent
 * again under the same idempotency key.
 */
export async function runEmailQueue(db: Db, env: EmailQueueEnv, memory: EmailMemory): Promise<number | null> {
  const end = Date.now() + ROUND_MS;
  for (let group = 0; group < GROUPS_PER_ROUND; group++) {
    if (Date.now() >= end || Date.now() < memory.pausedUntil) break;
    const due = await listDue(db, memory.failures > 0 ? 1 : EMAILS_AT_ONCE);
    if (due.length === 0) break;
    const suppressed = await suppressedAmong(
      db,
      due.map(({ recipient }) => recipient),
    );
    const attempts = await allOf(
      due.map(async (email) => ({ id: email.id, outcome: await work(db, env, email, suppressed) })),
    );
    const wasDown = memory.failures > 0;
    adjustPace(memory, attempts, Date.now(), Math.random());
    if (!wasDown && memory.failures > 0) logOutage(attempts);
  }
  const [next] = await db
    .select({ at: sql<number | null>`min(${emails.nextAttemptAt})` })
    .from(emails)
    .where(isQueued);
  if (!next || next.at === null) return null;
  const now = Date.now();
  return Math.max(0, next.at - now, memory.pausedUntil - now);
}

/**
 * Wakes the dispatcher if an email is due: one that was killed, or never woken, sleeps until then. Returns what its rounds
 * fail with, or null.
 */
export async function wakeForDueEmails(db: Db, env: Pick<Env, "EMAIL_DISPATCHER">): Promise<string | null> {
  return (await listDue(db, 1)).length > 0 ? wakeEmailDispatcher(env) : null;
}

export async function deleteOldEmails(db: Db, keptDays: number): Promise<void> {
  await deleteInChunks(db, emails, lt(emails.createdAt, Date.now() - keptDays * DAY_MS));
}

function listDue(db: Db, limit: number): Promise<QueuedEmail[]> {
  return db
    .select()
    .from(emails)
    .where(and(isQueued, lte(emails.nextAttemptAt, Date.now())))
    .orderBy(asc(emails.nextAttemptAt))
    .limit(limit);
}

/** Waits for the end of all, then throws if one failed: a call that still runs must not be repeated by the next round. */
async function allOf<T>(work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Logs the start of an outage, once. */
function logOutage(attempts: Attempt[]): void {
  const errors = attempts.flatMap(({ outcome }) => (outcome?.kind === "retry" ? [outcome.error] : []));
  log("error", "the email API takes no emails", { error: errors[0] });
}

/** Sends one email and stores the outcome. Returns null if there was no reason to call the email API. */
async function work(
  db: Db,
  env: EmailQueueEnv,
  email: QueuedEmail,
  suppressed: Set<string>,
): Promise<SendOutcome | null> {
  if (suppressed.has(addressDigest(email.recipient))) {
    await finish(db, email, "suppressed", null);
    return null;
  }
  if (email.expiresAt <= Date.now()) {
    await finish(db, email, "expired", email.lastError);
    return null;
  }
  const content = await readContent(env, email);
  if (content === null) {
    await postpone(db, email, { error: "The content can't be decrypted", waitMs: 0 });
    return null;
  }
  const outcome = await sendEmail(env, email.id, { to: email.recipient, ...content });
  switch (outcome.kind) {
    case "sent":
      await finish(db, email, "sent", null);
      return outcome;
    case "refused":
      // Without the error, which may name the address.
      log("warn", "email refused", { email: email.id, kind: email.kind });
      if (outcome.isRecipient) {
        const detail = outcome.error;
        await db.batch([
          suppress(db, { address: email.recipient, emailId: email.id, reason: "refused", detail, at: Date.now() }),
          finish(db, email, "failed", detail),
        ]);
      } else {
        await finish(db, email, "failed", outcome.error);
      }
      return outcome;
    case "retry":
      if (!isMomentary(outcome)) await postpone(db, email, outcome);
      return outcome;
    default:
      return outcome satisfies never;
  }
}

/** Returns whether the email API asks for a short pause, which needs no write: the email stays due. */
function isMomentary({ isBusy, waitMs }: { isBusy: boolean; waitMs: number }): boolean {
  return isBusy && waitMs > 0 && waitMs <= SHORT_PAUSE_MS;
}

/** Returns null if the content can't be decrypted. A missing key is our fault and may come back. */
async function readContent(env: EmailQueueEnv, { id, sealedContent }: QueuedEmail) {
  try {
    return await openContent(env, id, sealedContent ?? "");
  } catch (error) {
    logError("email not readable", error, { email: id });
    return null;
  }
}

/** Returns the statement that ends an email and deletes its content. */
function finish(db: Db, { id }: QueuedEmail, status: EmailStatus, lastError: string | null) {
  const wasTried = status === "sent" || status === "failed";
  return db
    .update(emails)
    .set({
      status,
      lastError,
      sealedContent: null,
      nextAttemptAt: null,
      finishedAt: Date.now(),
      ...(wasTried && { attempts: sql`${emails.attempts} + 1` }),
    })
    .where(and(eq(emails.id, id), eq(emails.status, "queued")));
}

/** Tries again later. An email that expires first comes due then, to be given up. */
async function postpone(
  db: Db,
  { id, attempts, expiresAt }: QueuedEmail,
  { error, waitMs }: { error: string; waitMs: number },
): Promise<void> {
  const wait = Math.max(waitMs, retryWait(attempts + 1, Math.random()));
  await db
    .update(emails)
    .set({ attempts: attempts + 1, lastError: error, nextAttemptAt: Math.min(Date.now() + wait, expiresAt) })
    .where(and(eq(emails.id, id), eq(emails.status, "queued")));
}
