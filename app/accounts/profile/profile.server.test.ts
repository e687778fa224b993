import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { limitPasswordChanges } from "#app/accounts/password/attempts.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import {
  authSessions,
  emailChanges,
  knownDevices,
  newDeviceAlerts,
  profiles,
  securityEvents,
  users,
} from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo } from "#tests/workerd/email-api.ts";
import { accessOf, addAccess, cheapHash, PASSWORD, storedAccount, WHOLE_ACCESS } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, startSession, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { submitAccountForm } from "./account-form.server.ts";
import { changePassword, readAccount } from "./profile.server.ts";
import { listStaff } from "./team-members.server.ts";

const work: Promise<unknown>[] = [];
const wake = vi.fn(async () => {});
const EMAIL_DISPATCHER = { getByName: () => ({ wake }) } as unknown as Env["EMAIL_DISPATCHER"];
const context = loadContext({
  env: { ...env, EMAIL_DISPATCHER, PUBLIC_ORIGIN: "https://growline.example" },
  waitUntil: (one) => void work.push(one),
});
const NEXT = "seven blue whales";
const noAccess = { statements: () => [], finish: async () => {} };
const visit = newVisit();
let me: SignedInAccount;
let other: SignedInAccount;

beforeEach(async () => {
  const given = { passwordHash: cheapHash() };
  [me, other] = [await storedSignIn("customer", given), await storedSignIn("customer", given)];
  wake.mockClear();
});

test("reads an account, and throws for one that is gone", async () => {
  const { userId, email } = await storedAccount("customer", { emailConfirmedAt: null });
  await db.update(users).set({ updatedAt: null }).where(eq(users.id, userId));
  const account = { id: userId, email, fullName: "Test Customer", createdAt: 1, emailConfirmedAt: null };
  expect(await readAccount(db, userId)).toEqual({ ...account, updatedAt: 1, lastSignInAt: null });
  await expect(readAccount(db, "nobody")).rejects.toThrow("account not found");
});

test("ends other sessions, links and pending changes with the password, and nothing of another account", async () => {
  for (const { userId } of [me, other]) await addAccess(userId);
  await db.update(authSessions).set({ verifiedAt: 0 }).where(eq(authSessions.userId, me.userId));
  await db.update(emailChanges).set({ newEmail: me.email }).where(eq(emailChanges.userId, me.userId));
  const before = await accessOf(other.userId);
  expect(await changePassword(context, visit, me, { current: PASSWORD, next: NEXT })).toEqual({ ok: true });
  const { passwordHash, ...after } = await accessOf(me.userId);
  expect({ ...after, passwordHash: "a hash" }).toEqual({
    ...WHOLE_ACCESS,
    resets: 0,
    emailChanges: 0,
    queued: ["factor_notice", "password_changed", "password_reset", "staff_setup"],
    events: ["password_changed"],
  });
  expect(await accessOf(other.userId)).toEqual(before);
  expect((await openSessions(me.userId)).map(({ id }) => id)).toEqual([me.sessionId]);
  expect(passwordHash).not.toBe(WHOLE_ACCESS.passwordHash);
  await Promise.all(work);
  expect(wake).toHaveBeenCalledTimes(1);
});

test.for([
  [true, /All API keys were revoked/],
  [false, /^(?!.*All API keys were revoked)/s],
] as const)("tells the owner of the new password, and that programs lost access: %s", async ([ends, text]) => {
  const finished: unknown[][] = [];
  const access = {
    statements: (owner: Parameters<typeof sql>[1]) => [
      db.select({ id: users.id }).from(users).where(sql`${users.id} = ${owner}`),
    ],
    finish: async (results: unknown[]) => void finished.push(results),
  };
  const input = { current: PASSWORD, next: NEXT };
  expect(await changePassword(context, visit, me, input, ends ? access : undefined)).toEqual({ ok: true });
  expect(finished).toEqual(ends ? [[[{ id: me.userId }]]] : []);
  const [notice] = await emailsTo(me.email);
  expect([notice?.kind, notice?.userId]).toEqual(["password_changed", me.userId]);
  const content = await openContent(env, notice?.id ?? "", notice?.sealedContent ?? "");
  expect(content.text).toMatch(text);
});

test("voids the alerts about log-ins after this device was first seen, once its password changes", async () => {
  const onDevice = newVisit({ deviceId: "a device" });
  const seen = { deviceDigest: sha256("a device"), firstSeenAt: 1000, lastSeenAt: 1000 };
  const alert = { createdAt: 2000, expiresAt: Date.now() * 2 };
  for (const { userId } of [me, other]) {
    await db.insert(knownDevices).values({ userId, ...seen });
    await db.insert(newDeviceAlerts).values({ ...alert, userId, tokenDigest: crypto.randomUUID() });
  }
  expect(await changePassword(context, onDevice, me, { current: PASSWORD, next: NEXT })).toEqual({ ok: true });
  expect([(await accessOf(me.userId)).alerts, (await accessOf(other.userId)).alerts]).toEqual([[], ["log_in"]]);
});

test.for([
  ["wrong", NEXT, "wrong_password"],
  [PASSWORD, "Trustno1", "common_password"],
  [PASSWORD, "Test Customer", "context_password"],
] as const)("changes nothing from %s to %s: %s", async ([current, next, reason]) => {
  await addAccess(me.userId);
  const before = await accessOf(me.userId);
  expect(await changePassword(context, visit, me, { current, next })).toEqual({ ok: false, reason });
  await Promise.all(work);
  const events = reason === "wrong_password" ? ["denied"] : [];
  expect(await accessOf(me.userId)).toEqual({ ...before, events });
});

test("changes nothing if another password is stored while the new one is hashed", async () => {
  const moving = Object.assign(Object.create(db), {
    batch: async (statements: Parameters<typeof db.batch>[0]) => {
      // Not before the counting of attempts, which is a batch too.
      if (statements.length > 5)
        await db.update(users).set({ passwordHash: "meanwhile" }).where(eq(users.id, me.userId));
      return db.batch(statements);
    },
  });
  const changing = changePassword({ ...context, db: moving }, visit, me, { current: PASSWORD, next: NEXT });
  expect(await changing).toEqual({ ok: false, reason: "wrong_password" });
  expect(await accessOf(me.userId)).toMatchObject({ passwordHash: "meanwhile", sessions: 1, events: [], queued: [] });
  expect(wake).not.toHaveBeenCalled();
});

test("saves a name, trimmed, and shows it in the form", async () => {
  expect(await submit({ intent: "name", fullName: "  Grace  " })).toEqual({
    kind: "shown",
    status: 200,
    result: { intent: "name", ok: true, message: "Name saved.", values: { fullName: "Grace" } },
  });
  expect([await nameOf(me.userId), await nameOf(other.userId)]).toEqual(["Grace", "Test Customer"]);
  expect(await submit({ intent: "name", fullName: "x".repeat(101) })).toMatchObject({
    status: 400,
    result: { intent: "name", ok: false, fieldErrors: { fullName: "Use at most 100 characters" } },
  });
  expect(await nameOf(me.userId)).toBe("Grace");
});

test("requests a change of the email address, or says in which field what is wrong", async () => {
  const newEmail = `${crypto.randomUUID()}@test.example`;
  const change = (fields: Record<string, string>) =>
    submit({ intent: "email", newEmail, password: PASSWORD, ...fields });
  const refused: [Record<string, string>, Record<string, string>][] = [
    [{ newEmail: "nobody" }, { newEmail: "Enter an email address like name@example.com" }],
    [{ password: "wrong" }, { password: "Incorrect password." }],
    [{ newEmail: me.email.toUpperCase() }, { newEmail: "This is already your email address." }],
    [{ newEmail: other.email }, { newEmail: "An account with this email already exists." }],
  ];
  for (const [fields, fieldErrors] of refused) {
    const values = { newEmail: fields.newEmail ?? newEmail };
    expect(await change(fields)).toEqual({
      kind: "shown",
      status: 400,
      result: { intent: "email", ok: false, fieldErrors, values, message: undefined },
    });
  }
  expect((await accessOf(me.userId)).emailChanges).toBe(0);
  const message = `We sent a link to ${newEmail}. Until you confirm it, keep logging in with ${me.email}.`;
  const done = { kind: "shown", status: 200, result: { intent: "email", ok: true, message, values: undefined } };
  expect(await change({})).toEqual(done);
  expect((await accessOf(me.userId)).emailChanges).toBe(1);
});

test.for([
  [{}, "Password changed. Your other devices were logged out."],
  [
    { endAccess: "on" },
    "Password changed. Your other devices were logged out. Your API keys were revoked and your webhooks turned off.",
  ],
] as const)("changes the password by the form with %o", async ([fields, message]) => {
  const finish = vi.fn(async () => {});
  const access = { statements: () => [], finish };
  expect(await submit({ intent: "password", current: PASSWORD, next: NEXT, ...fields }, access)).toEqual({
    kind: "shown",
    status: 200,
    result: { intent: "password", ok: true, message, values: undefined },
  });
  expect(finish).toHaveBeenCalledTimes("endAccess" in fields ? 1 : 0);
});

test("says in which field of the password form what is wrong, and returns no password", async () => {
  const refused: [Record<string, string>, Record<string, string>][] = [
    [{ next: "short" }, { next: "Use at least 8 characters" }],
    [{ current: "" }, { current: "Enter your current password" }],
    [{ current: "wrong" }, { current: "Incorrect password." }],
    [{ next: "Trustno1" }, { next: "This password is too common. Choose another one." }],
  ];
  for (const [fields, fieldErrors] of refused) {
    expect(await submit({ intent: "password", current: PASSWORD, next: NEXT, ...fields })).toEqual({
      kind: "shown",
      status: 400,
      result: { intent: "password", ok: false, fieldErrors, values: {}, message: undefined },
    });
  }
});

test("refuses the eleventh password typed in a session with the time to wait, in both forms", async () => {
  for (let at = 0; at < 10; at++) await submit({ intent: "password", current: "wrong", next: NEXT });
  const forms: Record<string, string>[] = [
    { intent: "password", current: PASSWORD, next: NEXT },
    { intent: "email", newEmail: "new@test.example", password: PASSWORD },
  ];
  for (const fields of forms) {
    expect(await submit(fields)).toMatchObject({
      kind: "shown",
      status: 429,
      headers: { "Retry-After": expect.stringMatching(/^(8|9)\d\d$/) },
      result: { intent: fields.intent, ok: false, message: "Too many attempts. Please try again in 15 minutes." },
    });
  }
});

test("limits changes of the password to ten an hour", async () => {
  for (let at = 0; at < 9; at++) await limitPasswordChanges(context, me.userId);
  expect(await changePassword(context, visit, me, { current: PASSWORD, next: NEXT })).toEqual({ ok: true });
  const refused = await changePassword(context, visit, me, { current: NEXT, next: PASSWORD });
  expect(refused).toMatchObject({ ok: false, reason: "too_many", status: 429 });
});

test("logs out another device of one's own, and tells nobody of a session that isn't", async () => {
  const userAgent = "Mozilla/5.0 (X11; Linux) Firefox/140.0";
  const second = await startSession(db, { userId: me.userId, visit: newVisit({ userAgent }) });
  expect(await submit({ intent: "end-session", id: other.sessionId })).toBeNull();
  expect(await openSessions(other.userId)).toHaveLength(1);
  expect(await submit({ intent: "end-session", id: second })).toEqual({
    kind: "shown",
    status: 200,
    result: { intent: "end-session", ok: true, message: "Device logged out.", values: undefined },
  });
  expect((await openSessions(me.userId)).map(({ id }) => id)).toEqual([me.sessionId]);
  expect(await submit({ intent: "end-session", id: second })).toBeNull();
  await Promise.all(work);
  const events = await db.select().from(securityEvents).where(eq(securityEvents.userId, me.userId));
  expect(events).toMatchObject([{ kind: "session_ended", detail: { device: "Firefox on Linux" } }]);
});

test("logs out all other devices, and leaves this one", async () => {
  await startSession(db, { userId: me.userId });
  expect(await submit({ intent: "end-others" })).toEqual({
    kind: "shown",
    status: 200,
    result: { intent: "end-others", ok: true, message: "All other devices were logged out.", values: undefined },
  });
  expect((await openSessions(me.userId)).map(({ id }) => id)).toEqual([me.sessionId]);
  expect(await openSessions(other.userId)).toHaveLength(1);
  await Promise.all(work);
  expect((await accessOf(me.userId)).events).toEqual(["sessions_ended"]);
});

test("knows no other form", async () => {
  expect(await submit({ intent: "other" })).toBeNull();
});

test("lists staff by name whatever its case, without customers and those who are suspended", async () => {
  const accounts: string[] = [];
  const people = [
    ["agent", "zed"],
    ["admin", "Amy"],
    ["agent", "bea"],
    ["agent", ""],
    ["customer", "Cleo"],
    ["agent", "Suspended"],
  ] as const;
  for (const [role, fullName] of people) {
    const { userId } = await storedAccount(role);
    await db.update(profiles).set({ fullName }).where(eq(profiles.userId, userId));
    if (fullName === "Suspended") await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, userId));
    accounts.push(userId);
  }
  const listed = (await listStaff(db)).filter(({ id }) => accounts.includes(id));
  expect(listed.map(({ name }) => name)).toEqual(["Support", "Amy", "bea", "zed"]);
  expect(listed.map(({ id }) => accounts.indexOf(id))).toEqual([3, 1, 2, 0]);
});

function submit(fields: Record<string, string>, access: Parameters<typeof submitAccountForm>[4] = noAccess) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const viewer: Viewer = {
    ...me,
    fullName: "Test Customer",
    role: "customer",
    isHeld: false,
    verifiedAt: 1,
    secondFactorAt: null,
    emailConfirmed: true,
  };
  return submitAccountForm(context, visit, viewer, form, access);
}

async function openSessions(userId: string) {
  const rows = await db.select().from(authSessions).where(eq(authSessions.userId, userId));
  return rows.filter(({ revokedAt }) => revokedAt === null);
}

async function nameOf(userId: string): Promise<string | undefined> {
  return (await readAccount(db, userId)).fullName;
}
