import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import {
  emailChangeUndos,
  newDeviceAlerts,
  passkeys,
  passwordResets,
  profiles,
  type Role,
  securityEvents,
  totpSecrets,
  users,
} from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { readUndo, undoEmailChange } from "./email-change-undo.server.ts";

const NOW = Date.UTC(2027, 0, 1);
const CHANGED_AT = NOW - 3 * DAY_MS;
/** A change may have been requested a day before it was confirmed. */
const SINCE = CHANGED_AT - DAY_MS;
const visit = newVisit();
const woken = vi.fn();
const context = loadContext({ env: withoutDispatcher(env), waitUntil: woken });
const expired = { ok: false, reason: "link_expired" };

beforeEach(() => {
  vi.setSystemTime(NOW);
  woken.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

test("restores the address and what goes with it, and leaves another account as it was", async () => {
  const [owner, other] = [await changed(), await changed()];
  expect(await readUndo(db, owner.token)).toEqual({ oldEmail: owner.oldEmail, losesRole: false });
  const undone = await undo(owner.token);
  if (!undone.ok) throw new Error(undone.reason);
  expect(await stateOf(owner)).toEqual({
    user: { email: owner.oldEmail, emailConfirmedAt: NOW },
    profile: { email: owner.oldEmail, role: "customer" },
    usedAt: [NOW],
    alerts: 0,
    passkeys: [],
    resets: [sha256(undone.resetToken)],
  });
  expect(await db.select().from(securityEvents).where(eq(securityEvents.userId, owner.userId))).toMatchObject([
    { kind: "email_change_undone", detail: { email: owner.oldEmail } },
  ]);
  // Only a change of the role queues an email.
  expect(woken).not.toHaveBeenCalled();
  expect(await undo(owner.token)).toEqual(expired);
  expect(await readUndo(db, owner.token)).toBeNull();

  expect(await stateOf(other)).toEqual({
    user: { email: other.email, emailConfirmedAt: 1 },
    profile: { email: other.email, role: "customer" },
    usedAt: [null],
    alerts: 1,
    passkeys: [],
    resets: [],
  });
  expect(await db.$count(securityEvents, eq(securityEvents.userId, other.userId))).toBe(0);
});

test("ends exactly when it expires", async () => {
  const owner = await changed({ expiresAt: NOW + 1 });
  expect(await readUndo(db, owner.token)).not.toBeNull();
  vi.setSystemTime(NOW + 1);
  expect(await readUndo(db, owner.token)).toBeNull();
  expect(await undo(owner.token)).toEqual(expired);
  expect(await readUndo(db, "made-up")).toBeNull();
  expect((await stateOf(owner)).user?.email).toBe(owner.email);
});

test("voids its own link and those of later changes, and neither earlier nor used ones", async () => {
  const owner = await changed();
  const first = await addUndo(owner, { createdAt: CHANGED_AT + 1 });
  const middle = await addUndo(owner, { createdAt: CHANGED_AT + 2 });
  const used = await addUndo(owner, { createdAt: CHANGED_AT + 3, usedAt: 7 });
  const last = await addUndo(owner, { createdAt: CHANGED_AT + 4 });
  expect(await undo(middle)).toMatchObject({ ok: true });
  expect((await stateOf(owner)).usedAt).toEqual([null, null, NOW, 7, NOW]);
  for (const token of [used, middle, last]) expect(await undo(token)).toEqual(expired);
  expect(await undo(first)).toMatchObject({ ok: true });
});

test.for([
  { what: "since the change may have been requested", createdAt: SINCE, goes: true },
  { what: "before the change can have been requested", createdAt: SINCE - 1, goes: false },
  { what: "before that, but after an announced log-in", createdAt: SINCE - 5, alert: SINCE - 5, goes: true },
  { what: "before the announced log-in", createdAt: SINCE - 6, alert: SINCE - 5, goes: false },
  { what: "before that, with a later announcement", createdAt: SINCE, alert: SINCE + 9, goes: true },
  {
    what: "after an announced log-in whose link expired",
    createdAt: SINCE - 5,
    alert: SINCE - 5,
    ended: true,
    goes: false,
  },
])("removes a factor that was added $what: $goes", async ({ createdAt, alert, ended = false, goes }) => {
  const owner = await changed({ role: "agent", alert: alert ?? NOW, alertEnds: ended ? NOW : NOW + 1 });
  const id = await addPasskey(owner, createdAt);
  expect(await readUndo(db, owner.token)).toEqual({ oldEmail: owner.oldEmail, losesRole: goes });
  expect(await undo(owner.token)).toMatchObject({ ok: true });
  expect(await stateOf(owner)).toMatchObject({
    passkeys: goes ? [] : [id],
    profile: { role: goes ? "customer" : "agent" },
  });
  expect(woken).toHaveBeenCalledTimes(goes ? 1 : 0);
});

test("removes an authenticator app that was added since the change may have been requested", async () => {
  const [removed, kept] = [await changed(), await changed()];
  for (const [{ userId }, createdAt] of [[removed, SINCE] as const, [kept, SINCE - 1] as const]) {
    await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt, confirmedAt: createdAt });
  }
  for (const { token } of [removed, kept]) expect(await undo(token)).toMatchObject({ ok: true });
  const left = (userId: string) => db.$count(totpSecrets, eq(totpSecrets.userId, userId));
  expect([await left(removed.userId), await left(kept.userId)]).toEqual([0, 1]);
});

test("changes nothing while another account uses the old address", async () => {
  const [owner, other] = [await changed(), await accountWithoutPassword()];
  const before = await stateOf(owner);
  await db.update(users).set({ email: owner.oldEmail.toUpperCase() }).where(eq(users.id, other.userId));
  expect(await undo(owner.token)).toEqual({ ok: false, reason: "email_taken" });
  expect(await stateOf(owner)).toEqual(before);
});

test("changes nothing if the link is used between reading it and undoing the change", async () => {
  const owner = await changed();
  const late = Object.assign(Object.create(db), {
    batch: async (statements: Parameters<typeof db.batch>[0]) => {
      await db.update(emailChangeUndos).set({ usedAt: 7 }).where(eq(emailChangeUndos.userId, owner.userId));
      return db.batch(statements);
    },
  });
  expect(await undoEmailChange({ ...context, db: late }, visit, owner.token, programAccess(db, env))).toEqual(expired);
  expect(await stateOf(owner)).toMatchObject({ user: { email: owner.email }, usedAt: [7], resets: [] });
});

test("throws what else goes wrong", async () => {
  const owner = await changed();
  const failing = Object.assign(Object.create(db), { batch: () => Promise.reject(new Error("gone")) });
  const undoing = undoEmailChange({ ...context, db: failing }, visit, owner.token, programAccess(db, env));
  await expect(undoing).rejects.toThrow("gone");
});

type Changed = { userId: string; email: string; oldEmail: string; token: string };

/** Returns an account whose address was changed at CHANGED_AT, with the link that undoes it. */
async function changed(
  given: { role?: Role; expiresAt?: number; alert?: number; alertEnds?: number } = {},
): Promise<Changed> {
  const { role = "customer", expiresAt = NOW + 1, alert = NOW, alertEnds = NOW + 1 } = given;
  const { userId, email } = await accountWithoutPassword({ role });
  const owner = { userId, email, oldEmail: `old-${email}` };
  const tokenDigest = crypto.randomUUID();
  await db.insert(newDeviceAlerts).values({ tokenDigest, userId, createdAt: alert, expiresAt: alertEnds });
  return { ...owner, token: await addUndo(owner, { expiresAt }) };
}

async function addUndo(
  { userId, oldEmail }: Pick<Changed, "userId" | "oldEmail">,
  columns: Partial<typeof emailChangeUndos.$inferInsert>,
): Promise<string> {
  const { token, digest } = makeEmailToken();
  const times = { createdAt: CHANGED_AT, expiresAt: NOW + DAY_MS };
  await db.insert(emailChangeUndos).values({ tokenDigest: digest, userId, oldEmail, ...times, ...columns });
  return token;
}

async function addPasskey({ userId }: Changed, createdAt: number): Promise<string> {
  const id = crypto.randomUUID();
  const flags = { deviceType: "singleDevice", backedUp: false, isSecondFactor: true } as const;
  await db.insert(passkeys).values({ id, userId, publicKey: "", signCount: 0, name: "", createdAt, ...flags });
  return id;
}

function undo(token: string) {
  return undoEmailChange(context, visit, token, programAccess(db, env));
}

async function stateOf({ userId }: Changed) {
  const [user] = await db
    .select({ email: users.email, emailConfirmedAt: users.emailConfirmedAt })
    .from(users)
    .where(eq(users.id, userId));
  const [profile] = await db
    .select({ email: profiles.email, role: profiles.role })
    .from(profiles)
    .where(eq(profiles.userId, userId));
  const undos = await db
    .select()
    .from(emailChangeUndos)
    .where(eq(emailChangeUndos.userId, userId))
    .orderBy(emailChangeUndos.id);
  const keys = await db.select().from(passkeys).where(eq(passkeys.userId, userId));
  const resets = await db.select().from(passwordResets).where(eq(passwordResets.userId, userId));
  return {
    user,
    profile,
    usedAt: undos.map(({ usedAt }) => usedAt),
    alerts: await db.$count(newDeviceAlerts, eq(newDeviceAlerts.userId, userId)),
    passkeys: keys.map(({ id }) => id),
    resets: resets.map(({ tokenDigest }) => tokenDigest),
  };
}
