import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import {
  authSessions,
  emailChanges,
  emailChangeUndos,
  emails,
  emailVerifications,
  passwordResets,
  profiles,
  securityEvents,
  users,
} from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accountWithoutPassword, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { confirmEmailChange, mayConfirmEmailChange, requestEmailChange } from "./email-change.server.ts";

const ORIGIN = "https://growline.example";
const NOW = Date.UTC(2027, 0, 1);
const visit = newVisit();
const woken = vi.fn();
const context = loadContext({ env: withoutDispatcher(env), waitUntil: woken });

beforeEach(() => {
  vi.setSystemTime(NOW);
  woken.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

test("stores a requested change for a day, and emails the link to the new address and a notice to the old one", async () => {
  const viewer = await withPassword();
  await db.update(authSessions).set({ verifiedAt: 1 }).where(eq(authSessions.id, viewer.sessionId));
  const newEmail = address();
  expect(await requestEmailChange(context, visit, viewer, { newEmail, password: PASSWORD })).toEqual({ ok: true });
  const [confirmation, ...others] = await emailsOf(newEmail);
  expect(others).toEqual([]);
  const link = new URL(/https:\S+/.exec(confirmation?.text ?? "")?.[0] ?? "");
  expect(link.origin + link.pathname).toBe(`${ORIGIN}/account/email`);
  expect(await db.select().from(emailChanges).where(eq(emailChanges.userId, viewer.userId))).toEqual([
    {
      userId: viewer.userId,
      tokenDigest: sha256(link.searchParams.get("token") ?? ""),
      newEmail,
      expiresAt: NOW + DAY_MS,
    },
  ]);
  const [notice] = await emailsOf(viewer.email);
  expect(notice).toMatchObject({ kind: "address_change_notice", userId: viewer.userId });
  expect(notice?.text).toContain(newEmail);
  expect(notice?.text).toContain(`${ORIGIN}/reset-password\n`);
  expect(await eventsOf(viewer)).toMatchObject([{ kind: "email_change_requested", detail: { email: newEmail } }]);
  // The password counts as a proof of who they are.
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, viewer.sessionId));
  expect(session?.verifiedAt).toBe(NOW);
  expect(woken).toHaveBeenCalled();
});

test("replaces an earlier change and withdraws its link, and leaves that of another account", async () => {
  const [viewer, other] = [await withPassword(), await withPassword()];
  const [first, second, theirs] = [address(), address(), address()];
  await requestEmailChange(context, visit, other, { newEmail: theirs, password: PASSWORD });
  await requestEmailChange(context, visit, viewer, { newEmail: first, password: PASSWORD });
  await requestEmailChange(context, visit, viewer, { newEmail: second, password: PASSWORD });
  expect(await emailsOf(first)).toEqual([]);
  for (const [{ userId }, newEmail] of [[viewer, second] as const, [other, theirs] as const]) {
    expect(await emailsOf(newEmail)).toMatchObject([{ kind: "address_confirmation" }]);
    expect(await db.select().from(emailChanges).where(eq(emailChanges.userId, userId))).toMatchObject([{ newEmail }]);
  }
});

test("refuses the address of this account and of another one, in any case", async () => {
  const [viewer, other] = [await withPassword(), await accountWithoutPassword()];
  for (const [newEmail, reason] of [
    [viewer.email.toUpperCase(), "same_email"],
    [other.email.toUpperCase(), "email_taken"],
  ] as const) {
    const refused = await requestEmailChange(context, visit, viewer, { newEmail, password: PASSWORD });
    expect(refused).toEqual({ ok: false, reason });
  }
  const upper = { ...viewer, email: viewer.email.toUpperCase() };
  const same = await requestEmailChange(context, visit, upper, { newEmail: viewer.email, password: PASSWORD });
  expect(same).toEqual({ ok: false, reason: "same_email" });
  expect(await db.$count(emailChanges, eq(emailChanges.userId, viewer.userId))).toBe(0);
});

test.for([
  { name: "email_change", max: 5, of: "an account" },
  { name: "email_change:address", max: 30, of: "a network address" },
])("allows $max requests of $of per hour", async ({ name, max }) => {
  const viewer = await withPassword();
  const ip = `203.0.113.${max}`;
  const from = newVisit({ network: ip });
  const limit = { name, who: name === "email_change" ? viewer.userId : ip, max, periodMs: HOUR_MS };
  for (let i = 1; i < max; i++) await countAttempt(db, [limit]);
  const ask = () => requestEmailChange(context, from, viewer, { newEmail: address(), password: PASSWORD });
  expect(await ask()).toEqual({ ok: true });
  expect(await ask()).toMatchObject({ ok: false, reason: "too_many", status: 429, headers: { "Retry-After": "3600" } });
  vi.setSystemTime(NOW + HOUR_MS);
  expect(await ask()).toEqual({ ok: true });
});

test("changes nothing if the password changes while it is checked", async () => {
  const viewer = await withPassword();
  const newEmail = address();
  // The count of the requests comes after the check.
  const meanwhile = new Proxy(db, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (key !== "batch") return typeof value === "function" ? value.bind(target) : value;
      return async (statements: Parameters<typeof db.batch>[0]) => {
        if (statements.length > 3) {
          await db.update(users).set({ passwordHash: "another" }).where(eq(users.id, viewer.userId));
        }
        return target.batch(statements);
      };
    },
  });
  const racing = { ...context, db: meanwhile };
  expect(await requestEmailChange(racing, visit, viewer, { newEmail, password: PASSWORD })).toEqual({
    ok: false,
    reason: "wrong_password",
  });
  expect(await db.$count(emailChanges, eq(emailChanges.userId, viewer.userId))).toBe(0);
  expect(await emailsOf(newEmail)).toEqual([]);
});

test("lets only the account that asked open a working link", async () => {
  const [viewer, other] = [await withChange(), await accountWithoutPassword()];
  expect(await mayConfirmEmailChange(db, viewer.token, undefined)).toBe(false);
  expect(await mayConfirmEmailChange(db, viewer.token, other.userId)).toBe(false);
  expect(await mayConfirmEmailChange(db, viewer.token, viewer.userId)).toBe(true);
  expect(await mayConfirmEmailChange(db, "made-up", other.userId)).toBe(true);
  expect(await mayConfirmEmailChange(db, "made-up", undefined)).toBe(false);
});

test("changes the address of this account alone, ends its links and other sessions, and offers the old address an undo", async () => {
  const [viewer, other] = [await withChange(), await withChange()];
  const confirmedAt = NOW + DAY_MS - 1;
  vi.setSystemTime(confirmedAt);
  const { newEmail, email, userId } = viewer;
  expect(await confirmEmailChange(context, visit, viewer.token, viewer)).toEqual({ ok: true, email: newEmail });
  expect(await stateOf(viewer)).toEqual({
    user: { email: newEmail, emailConfirmedAt: confirmedAt },
    profile: newEmail,
    resets: 0,
    verifications: 0,
    changes: 0,
    sessions: [viewer.sessionId],
  });
  expect(await eventsOf(viewer)).toMatchObject([{ kind: "email_changed", detail: { email: newEmail } }]);
  const [notice, ...others] = await emailsOf(email);
  expect(others).toEqual([]);
  expect(notice).toMatchObject({ kind: "address_changed", userId });
  expect(notice?.text).toContain(newEmail);
  const link = new URL(/https:\S+/.exec(notice?.text ?? "")?.[0] ?? "");
  expect(link.origin + link.pathname).toBe(`${ORIGIN}/account/undo-email-change`);
  expect(await db.select().from(emailChangeUndos).where(eq(emailChangeUndos.userId, userId))).toEqual([
    {
      id: expect.any(Number),
      tokenDigest: sha256(link.searchParams.get("token") ?? ""),
      userId,
      oldEmail: email,
      createdAt: confirmedAt,
      expiresAt: confirmedAt + 7 * DAY_MS,
      usedAt: null,
    },
  ]);
  expect(woken).toHaveBeenCalled();

  expect(await stateOf(other)).toEqual({
    user: { email: other.email, emailConfirmedAt: 1 },
    profile: other.email,
    resets: 1,
    verifications: 1,
    changes: 1,
    sessions: [other.sessionId, other.secondSessionId].sort(),
  });
  expect(await eventsOf(other)).toEqual([]);
  expect(await emailsOf(other.email)).toEqual([]);
});

test("offers no undo to an old address that was never confirmed", async () => {
  const viewer = await withChange({ emailConfirmedAt: null });
  expect(await confirmEmailChange(context, visit, viewer.token, viewer)).toMatchObject({ ok: true });
  expect(await emailsOf(viewer.email)).toEqual([]);
  expect(await db.$count(emailChangeUndos, eq(emailChangeUndos.userId, viewer.userId))).toBe(0);
  expect((await stateOf(viewer)).user).toEqual({ email: viewer.newEmail, emailConfirmedAt: NOW });
});

test.for(["another account", "an ended session", "a link that is a day old", "a made-up link"])(
  "changes nothing by %s",
  async (what) => {
    const [viewer, other] = [await withChange(), await withChange()];
    const before = await stateOf(viewer);
    let [token, session] = [viewer.token, viewer as { userId: string; sessionId: string }];
    let reason = "link_expired";
    if (what === "another account") [session, reason] = [other, "other_account"];
    if (what === "a link that is a day old") vi.setSystemTime(NOW + DAY_MS);
    if (what === "a made-up link") token = "made-up";
    if (what === "an ended session") {
      await db.update(authSessions).set({ revokedAt: NOW }).where(eq(authSessions.id, viewer.sessionId));
      before.sessions = [viewer.secondSessionId];
    }
    expect(await confirmEmailChange(context, visit, token, session)).toEqual({ ok: false, reason });
    expect(await stateOf(viewer)).toEqual(before);
    expect(await emailsOf(viewer.email)).toEqual([]);
    expect(await db.$count(emailChangeUndos, eq(emailChangeUndos.userId, viewer.userId))).toBe(0);
    expect(woken).not.toHaveBeenCalled();
  },
);

test("refuses an address that another account took, and keeps the link", async () => {
  const viewer = await withChange();
  const before = await stateOf(viewer);
  const other = await accountWithoutPassword();
  await db.update(users).set({ email: viewer.newEmail.toUpperCase() }).where(eq(users.id, other.userId));
  expect(await confirmEmailChange(context, visit, viewer.token, viewer)).toEqual({
    ok: false,
    reason: "email_taken",
  });
  expect(await stateOf(viewer)).toEqual(before);
});

test("throws what else goes wrong while the address changes", async () => {
  const viewer = await withChange();
  const failing = loadContext({
    db: Object.assign(Object.create(db), { batch: () => Promise.reject(new Error("gone")) }),
  });
  await expect(confirmEmailChange(failing, visit, viewer.token, viewer)).rejects.toThrow("gone");
});

async function withPassword() {
  const { userId, email } = await newAccount();
  return { userId, email, sessionId: await startSession(db, { userId }) };
}

/** Returns an account with a change that waits for its link, other links, and two sessions. */
async function withChange(given: Partial<typeof users.$inferInsert> = {}) {
  const { userId, email } = await accountWithoutPassword(given);
  const { token, digest } = makeEmailToken();
  const newEmail = address();
  const expiresAt = NOW + DAY_MS;
  await db.insert(emailChanges).values({ userId, tokenDigest: digest, newEmail, expiresAt });
  await db.insert(passwordResets).values({ userId, tokenDigest: digest, expiresAt });
  await db.insert(emailVerifications).values({ userId, tokenDigest: digest, email, expiresAt });
  const start = () => startSession(db, { userId });
  return { userId, email, newEmail, token, sessionId: await start(), secondSessionId: await start() };
}

async function stateOf({ userId }: { userId: string }) {
  const [user] = await db
    .select({ email: users.email, emailConfirmedAt: users.emailConfirmedAt })
    .from(users)
    .where(eq(users.id, userId));
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  const sessions = await db.select().from(authSessions).where(eq(authSessions.userId, userId));
  return {
    user,
    profile: profile?.email,
    resets: await db.$count(passwordResets, eq(passwordResets.userId, userId)),
    verifications: await db.$count(emailVerifications, eq(emailVerifications.userId, userId)),
    changes: await db.$count(emailChanges, eq(emailChanges.userId, userId)),
    sessions: sessions.flatMap(({ id, revokedAt }) => (revokedAt === null ? [id] : [])).sort(),
  };
}

async function emailsOf(recipient: string) {
  const queued = await db.select().from(emails).where(eq(emails.recipient, recipient));
  return Promise.all(
    queued.map(async ({ id, kind, userId, sealedContent }) => ({
      kind,
      userId,
      ...(await openContent(env, id, sealedContent ?? "")),
    })),
  );
}

function eventsOf({ userId }: { userId: string }) {
  return db.select().from(securityEvents).where(eq(securityEvents.userId, userId));
}

function address(): string {
  return `${crypto.randomUUID()}@test.example`;
}
