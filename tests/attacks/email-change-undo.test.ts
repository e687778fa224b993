import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { confirmEmailChange, requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { undoEmailChange } from "#app/accounts/email-address/email-change-undo.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { emailChanges, emailChangeUndos, passwordResets, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { listApiKeys } from "#app/orders/api/api-keys.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { listEndpoints } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { WEEK_MS } from "#app/time.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { checkCredentials, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const THEIRS = "the attacker's password";
const context = loadContext({ env: withoutDispatcher(env) });
const visit = newVisit();
const access = programAccess(db, env);

test("gives a taken account back to its owner, and leaves the attacker no session, password, key or pending change", async () => {
  const owner = await newAccount();
  const stolen = await changeAddress(owner, owner.email);
  const sessionId = await startSession(db, { userId: owner.userId });
  const theirs = { userId: owner.userId, email: stolen, sessionId };
  expect(await changePassword(context, visit, theirs, { current: PASSWORD, next: THEIRS })).toEqual({ ok: true });
  await newKey(owner.userId, { name: "planted", scopes: ["order"] });
  await requestEmailChange(context, visit, theirs, { newEmail: address(), password: THEIRS });
  await requestReset(context, visit, stolen);
  const theirReset = await tokenIn(stolen, /^Reset/);

  const undone = await undoEmailChange(context, visit, await undoToken(owner.email), access);
  if (!undone.ok) throw new Error(undone.reason);
  expect(await emailOf(owner.userId)).toBe(owner.email);
  expect(await listSessions(db, owner.userId)).toEqual([]);
  expect(await listApiKeys(db, owner.userId)).toEqual([]);
  expect(await listEndpoints(db, owner.userId)).toEqual([]);
  expect(await db.$count(emailChanges, eq(emailChanges.userId, owner.userId))).toBe(0);
  for (const password of [THEIRS, PASSWORD]) {
    for (const email of [owner.email, stolen]) expect((await checkCredentials(db, { email, password })).ok).toBe(false);
  }
  const reset = (token: string) => resetPassword(context, visit, { token, password: "a brand new one" }, access);
  expect(await reset(theirReset)).toEqual({ ok: false, reason: "link_expired" });
  expect(await reset(undone.resetToken)).toEqual({ ok: true });
  expect((await checkCredentials(db, { email: owner.email, password: "a brand new one" })).ok).toBe(true);
});

test("a link undoes once, even if it is used many times at once", async () => {
  const owner = await newAccount();
  await changeAddress(owner, owner.email);
  const token = await undoToken(owner.email);
  const tries = await Promise.all([1, 2, 3].map(() => undoEmailChange(context, visit, token, access)));
  expect(tries.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await db.$count(passwordResets, eq(passwordResets.userId, owner.userId))).toBe(1);
  expect(await undoEmailChange(context, visit, token, access)).toEqual({ ok: false, reason: "link_expired" });
});

test("a stranger can't undo a change, and nobody can by GET or after 7 days", async () => {
  const [owner, stranger] = [await newAccount(), await newAccount()];
  const changed = await changeAddress(owner, owner.email);
  await changeAddress(stranger, stranger.email);
  expect((await undoEmailChange(context, visit, await undoToken(stranger.email), access)).ok).toBe(true);
  expect(await undoEmailChange(context, visit, "made-up", access)).toEqual({ ok: false, reason: "link_expired" });
  const token = await undoToken(owner.email);
  const opened = await SELF.fetch(`${ORIGIN}/account/undo-email-change?token=${token}`);
  expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining(owner.email)]);
  expect(await emailOf(owner.userId)).toBe(changed);

  const [row] = await db.select().from(emailChangeUndos).where(eq(emailChangeUndos.userId, owner.userId));
  expect(JSON.stringify(row)).not.toContain(token);
  expect((row?.expiresAt ?? 0) - (row?.createdAt ?? 0)).toBe(WEEK_MS);
  await db.update(emailChangeUndos).set({ expiresAt: Date.now() }).where(eq(emailChangeUndos.userId, owner.userId));
  expect(await undoEmailChange(context, visit, token, access)).toEqual({ ok: false, reason: "link_expired" });
  expect(await emailOf(owner.userId)).toBe(changed);
});

test("an address that another account took meanwhile is not taken from it, and the link keeps working", async () => {
  const owner = await newAccount();
  const changed = await changeAddress(owner, owner.email);
  const other = await newAccount();
  await db.update(users).set({ email: owner.email }).where(eq(users.id, other.userId));
  const token = await undoToken(owner.email);
  expect(await undoEmailChange(context, visit, token, access)).toEqual({ ok: false, reason: "email_taken" });
  expect(await emailOf(owner.userId)).toBe(changed);
  expect((await checkCredentials(db, { email: changed, password: PASSWORD })).ok).toBe(true);
  await db.update(users).set({ email: other.email }).where(eq(users.id, other.userId));
  expect((await undoEmailChange(context, visit, token, access)).ok).toBe(true);
});

test("the thief can't keep the account by signing up with the owner's address", async () => {
  const owner = await newAccount();
  await changeAddress(owner, owner.email);
  const squat = () =>
    createAccount(db, { email: owner.email.toUpperCase(), password: "a password of the thief", fullName: "" });
  expect(await squat()).toEqual({ ok: false, reason: "email_taken" });
  expect((await undoEmailChange(context, visit, await undoToken(owner.email), access)).ok).toBe(true);
});

test("an address is free again once the link that restores it has expired", async () => {
  const owner = await newAccount();
  await changeAddress(owner, owner.email);
  await db.update(emailChangeUndos).set({ expiresAt: Date.now() }).where(eq(emailChangeUndos.userId, owner.userId));
  expect(await createAccount(db, { email: owner.email, password: PASSWORD, fullName: "" })).toMatchObject({ ok: true });
});

test("a second change leaves the first undo valid, and the first undo voids the second", async () => {
  const owner = await newAccount();
  const second = await changeAddress(owner, owner.email);
  const third = await changeAddress(owner, second);
  const [first, later] = [await undoToken(owner.email), await undoToken(second)];
  expect(await emailOf(owner.userId)).toBe(third);
  expect((await undoEmailChange(context, visit, first, access)).ok).toBe(true);
  expect(await emailOf(owner.userId)).toBe(owner.email);
  expect(await undoEmailChange(context, visit, later, access)).toEqual({ ok: false, reason: "link_expired" });
  expect(await emailOf(owner.userId)).toBe(owner.email);
});

test("undoing the second change leaves the undo of the first valid", async () => {
  const owner = await newAccount();
  const second = await changeAddress(owner, owner.email);
  await changeAddress(owner, second);
  expect((await undoEmailChange(context, visit, await undoToken(second), access)).ok).toBe(true);
  expect(await emailOf(owner.userId)).toBe(second);
  expect((await undoEmailChange(context, visit, await undoToken(owner.email), access)).ok).toBe(true);
  expect(await emailOf(owner.userId)).toBe(owner.email);
});

test("a mistyped address that was never confirmed gets no link that takes the account", async () => {
  const typo = await newAccount("customer", "Test Customer", null);
  await changeAddress(typo, typo.email);
  expect((await subjectsTo(typo.email)).filter((subject) => /was changed/.test(subject))).toEqual([]);
  expect(await db.$count(emailChangeUndos, eq(emailChangeUndos.userId, typo.userId))).toBe(0);
});

test("confirming a change twice at once sends one undo link, to the old address", async () => {
  const owner = await newAccount();
  const newEmail = address();
  const token = await requestedToken(owner, owner.email, newEmail);
  const session = { userId: owner.userId, sessionId: await startSession(db, { userId: owner.userId }) };
  await Promise.all([1, 2].map(() => confirmEmailChange(context, visit, token, session)));
  expect((await subjectsTo(owner.email)).filter((subject) => /was changed/.test(subject))).toHaveLength(1);
  expect((await subjectsTo(newEmail)).filter((subject) => /was changed/.test(subject))).toEqual([]);
});

function address(): string {
  return `${crypto.randomUUID()}@test.example`;
}

/** Changes the address of an account whose password the caller knows, and returns the new one. */
async function changeAddress({ userId }: { userId: string }, email: string): Promise<string> {
  const newEmail = address();
  const token = await requestedToken({ userId }, email, newEmail);
  const sessionId = await startSession(db, { userId });
  expect(await confirmEmailChange(context, visit, token, { userId, sessionId })).toMatchObject({ ok: true });
  return newEmail;
}

async function requestedToken({ userId }: { userId: string }, email: string, newEmail: string): Promise<string> {
  const viewer = { userId, email, sessionId: crypto.randomUUID() };
  const requested = await requestEmailChange(context, visit, viewer, { newEmail, password: PASSWORD });
  expect(requested).toEqual({ ok: true });
  return tokenIn(newEmail, /^Confirm your new/);
}

function undoToken(email: string): Promise<string> {
  return tokenIn(email, /address of your .* was changed/);
}

async function tokenIn(recipient: string, subject: RegExp): Promise<string> {
  const found = (await contentsTo(recipient)).find((content) => subject.test(content.subject));
  return /token=([\w-]{43})/.exec(found?.text ?? "")?.[1] ?? "";
}

async function subjectsTo(recipient: string): Promise<string[]> {
  return (await contentsTo(recipient)).map(({ subject }) => subject);
}

async function contentsTo(recipient: string) {
  const rows = await emailsTo(recipient);
  return Promise.all(rows.map(({ id, sealedContent }) => openContent(env, id, sealedContent ?? "")));
}

async function emailOf(userId: string): Promise<string | undefined> {
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId));
  return user?.email;
}
