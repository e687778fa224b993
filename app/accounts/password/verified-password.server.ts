import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { type ConfirmedAction, users } from "#app/db/schema.server.ts";
import { forgetPasswordChecks, limitPasswordChecks, type TooMany } from "./attempts.server.ts";
import { type HashCaller, withHashing } from "./hash-queue.server.ts";
import { hashPassword, verifyPassword } from "./password-hash.server.ts";

/** Returns the hash that the user's password was verified against, or null if it is wrong. The caller limits attempts. */
export async function verifiedHash(
  db: Db,
  userId: string,
  password: string,
  caller: HashCaller,
): Promise<string | null> {
  const [user] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)).limit(1);
  const stored = user?.passwordHash ?? null;
  return (await verifyPassword(password, stored, caller)) ? stored : null;
}

/**
 * Replaces a hash that the password was verified against by one with today's parameters. Returns what is stored then, or
 * null if the password has changed meanwhile. By compare-and-swap: of two concurrent log-ins, the second gets the hash of
 * the first.
 */
export async function rehash(
  db: Db,
  { userId, password, verified }: { userId: string; password: string; verified: string },
  caller: HashCaller,
): Promise<string | null> {
  const passwordHash = await hashPassword(password, caller);
  const replaced = await db
    .update(users)
    .set({ passwordHash })
    .where(and(eq(users.id, userId), eq(users.passwordHash, verified)))
    .returning({ id: users.id });
  return replaced.length === 1 ? passwordHash : verifiedHash(db, userId, password, caller);
}

export type PasswordCheck =
  | { ok: true; passwordHash: string; hashing: HashCaller }
  | { ok: false; reason: "wrong_password" }
  | (TooMany & { reason: "too_many" });

/**
 * Checks a password that a signed-in user has typed to confirm an action, within the limit of the session. Returns the hash
 * that it was verified against, and the caller for further hashes.
 */
export async function checkOwnPassword(
  context: AppLoadContext,
  visit: Visit,
  { userId, sessionId }: { userId: string; sessionId: string },
  action: ConfirmedAction,
  password: string,
): Promise<PasswordCheck> {
  const allowed = await limitPasswordChecks(context, sessionId);
  if (!allowed.ok) {
    recordEvent(context, visit, userId, "limited");
    return { ...allowed, reason: "too_many" };
  }
  const checked = await withHashing(context, visit, async (hashing) => ({
    hashing,
    passwordHash: await verifiedHash(context.db, userId, password, hashing),
  }));
  if (!checked.ok) return { ...checked, reason: "too_many" };
  const { passwordHash, hashing } = checked.value;
  if (passwordHash === null) {
    recordEvent(context, visit, userId, "denied", { action });
    return { ok: false, reason: "wrong_password" };
  }
  await forgetPasswordChecks(context, sessionId);
  return { ok: true, passwordHash, hashing };
}

/**
 * Runs a batch that a password allows and returns the results. Returns null and changes nothing if the password has
 * changed since it was verified, which takes a while.
 */
export async function batchIfVerified(
  db: Db,
  userId: string,
  verified: string,
  statements: BatchItem<"sqlite">[],
): Promise<unknown[] | null> {
  // The column refuses NULL, which rolls the batch back: docs/decisions/platform/0002-stop-a-batch-with-a-constraint.md.
  const stopIfChanged = db
    .update(users)
    .set({ createdAt: sql`iif(${users.passwordHash} = ${verified}, ${users.createdAt}, null)` })
    .where(eq(users.id, userId));
  try {
    const [, ...results] = await db.batch([stopIfChanged, ...statements]);
    return results;
  } catch (error) {
    if (violates(error, "users.created_at")) return null;
    throw error;
  }
}
