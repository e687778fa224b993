import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { confirmEmailChange, requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { isResetToken, requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { emails, passwordResets, tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { newEmailMemory } from "#app/email/email-pace.ts";
import { runEmailQueue } from "#app/email/email-queue.server.ts";
import type { Email } from "#app/email/send-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { checkCredentials, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

import { addressChangeNoticeEmail, factorNoticeEmail, passwordChangedEmail } from "./account-emails.ts";

const db = connect(env.DB);
const NEXT = "another good password";
const visit = newVisit();

beforeEach(async () => {
  await db.delete(emails);
});

test("sets a new password once by an emailed link, and ends every session", async () => {
  const { context, sent, settle } = fakeContext();
  const { userId, email } = await newAccount();
  await startSession(db, { userId });
  await requestReset(context, visit, ` ${email.toUpperCase()} `);
  await settle();
  expect(sent.map((mail) => mail.to)).toEqual([email]);
  const token = tokenIn(sent[0]);
  expect(await isResetToken(db, token)).toBe(true);

  const both = await Promise.all([
    resetPassword(context, visit, { token, password: NEXT }, programAccess(db, env)),
    resetPassword(context, visit, { token, password: "a third good password" }, programAccess(db, env)),
  ]);
  expect(both.filter((result) => result.ok)).toHaveLength(1);
  expect(await listSessions(db, userId)).toEqual([]);
  expect((await checkCredentials(db, { email, password: PASSWORD })).ok).toBe(false);
  expect(await isResetToken(db, token)).toBe(false);
  await settle();
  expect(sent[1]?.subject).toContain("was changed");
});

test("stores only a digest of the emailed token, and refuses it after an hour", async () => {
  const { context, sent, settle } = fakeContext();
  const { userId, email } = await newAccount();
  await requestReset(context, visit, email);
  await settle();
  const token = tokenIn(sent[0]);
  const [row] = await db.select().from(passwordResets).where(eq(passwordResets.userId, userId));
  expect(JSON.stringify(row)).not.toContain(token);
  expect((row?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(3_600_000);
  await db.update(passwordResets).set({ expiresAt: Date.now() }).where(eq(passwordResets.userId, userId));
  expect(await resetPassword(context, visit, { token, password: NEXT }, programAccess(db, env))).toEqual({
    ok: false,
    reason: "link_expired",
  });
});

test("keeps an older link valid, and returns the same result for an unknown address without emailing it", async () => {
  const { context, sent, settle } = fakeContext();
  const { email } = await newAccount();
  expect(await requestReset(context, visit, "nobody@test.example")).toEqual({ ok: true });
  expect(await db.$count(emails)).toBe(0);
  expect(await requestReset(context, visit, email)).toEqual({ ok: true });
  await settle();
  await requestReset(context, visit, email);
  await settle();
  expect(sent).toHaveLength(2);
  expect(await isResetToken(db, tokenIn(sent[0]))).toBe(true);
  expect(await isResetToken(db, tokenIn(sent[1]))).toBe(true);
});

test("runs the same statements for an unknown address, and writes in both cases", async () => {
  const { email } = await newAccount();
  const run = async (address: string) => {
    const { database, byStatement } = countedDatabase(env.DB);
    await requestReset({ ...fakeContext().context, db: connect(database) }, visit, address);
    const inserted = [...byStatement].find(([statement]) => statement.startsWith('insert into "emails"'));
    expect(inserted?.[1].rowsWritten).toBeGreaterThan(0);
    return [...byStatement.keys()];
  };
  expect(await run("nobody-else@test.example")).toEqual(await run(email));
});

test("withdraws a link that is still queued once the password was reset by another", async () => {
  const { context, sent, settle } = fakeContext();
  const { email } = await newAccount();
  await requestReset(context, visit, email);
  await settle();
  await requestReset(context, visit, email);
  expect(
    await resetPassword(context, visit, { token: tokenIn(sent[0]), password: NEXT }, programAccess(db, env)),
  ).toEqual({ ok: true });
  await settle();
  expect(sent.map(({ subject }) => subject)).toEqual([
    "Reset your Growline password",
    "Your Growline password was changed",
  ]);
});

test("closes the legacy path and wipes its hash on a reset", async () => {
  const { context, sent, settle } = fakeContext();
  const { userId, email } = await newAccount();
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, userId));
  await db.insert(tempMysqlPasswords).values({ userId, mysqlPasswordHash: "damaged" });
  await requestReset(context, visit, email);
  await settle();
  expect(
    await resetPassword(context, visit, { token: tokenIn(sent[0]), password: NEXT }, programAccess(db, env)),
  ).toEqual({ ok: true });
  const [legacy] = await db.select().from(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, userId));
  expect(legacy).toMatchObject({ migrated: true, mysqlPasswordHash: null });
  expect(await checkCredentials(db, { email, password: NEXT })).toMatchObject({ how: "current" });
});

test("changes the email address only once the new one is confirmed, and notifies the old one", async () => {
  const { context, sent, settle } = fakeContext();
  const { userId, email } = await newAccount();
  const newEmail = `${crypto.randomUUID()}@test.example`;
  const viewer = { userId, email, sessionId: await startSession(db, { userId }) };
  expect(await requestEmailChange(context, visit, viewer, { newEmail, password: "wrong" })).toMatchObject({
    reason: "wrong_password",
  });
  expect(await requestEmailChange(context, visit, viewer, { newEmail, password: PASSWORD })).toEqual({ ok: true });
  await settle();
  expect(sent.map((mail) => mail.to)).toEqual([newEmail, email]);
  expect((await checkCredentials(db, { email: newEmail, password: PASSWORD })).ok).toBe(false);

  const token = tokenIn(sent[0]);
  expect(await confirmEmailChange(context, visit, token, viewer)).toEqual({ ok: true, email: newEmail });
  expect(await confirmEmailChange(context, visit, token, viewer)).toEqual({ ok: false, reason: "link_expired" });
  expect((await checkCredentials(db, { email: newEmail, password: PASSWORD })).ok).toBe(true);
  expect((await checkCredentials(db, { email, password: PASSWORD })).ok).toBe(false);
});

test("refuses to confirm an address that another account has taken meanwhile", async () => {
  const { context, sent, settle } = fakeContext();
  const { userId, email } = await newAccount();
  const newEmail = `${crypto.randomUUID()}@test.example`;
  const viewer = { userId, email, sessionId: await startSession(db, { userId }) };
  await requestEmailChange(context, visit, viewer, { newEmail, password: PASSWORD });
  await settle();
  await createAccount(db, { email: newEmail.toUpperCase(), password: PASSWORD, fullName: "" });
  expect(await confirmEmailChange(context, visit, tokenIn(sent[0]), viewer)).toEqual({
    ok: false,
    reason: "email_taken",
  });
  expect((await checkCredentials(db, { email, password: PASSWORD })).ok).toBe(true);
});

test("keeps this session and ends the others when the password changes", async () => {
  const { context, settle } = fakeContext();
  const { userId, email } = await newAccount();
  const sessionId = await startSession(db, { userId });
  await startSession(db, { userId });
  const viewer = { userId, email, sessionId };
  expect(await changePassword(context, visit, viewer, { current: "wrong", next: NEXT })).toMatchObject({
    reason: "wrong_password",
  });
  expect(await changePassword(context, visit, viewer, { current: PASSWORD, next: "password1" })).toMatchObject({
    reason: "common_password",
  });
  expect(await changePassword(context, visit, viewer, { current: PASSWORD, next: NEXT })).toEqual({ ok: true });
  expect((await listSessions(db, userId)).map((session) => session.id)).toEqual([sessionId]);
  expect((await checkCredentials(db, { email, password: NEXT })).ok).toBe(true);
  await settle();
});

test("says that keys were revoked and webhooks turned off, only if they were", () => {
  const textOf = (endsPrograms: boolean) => passwordChangedEmail("a@b.example", "https://link", { endsPrograms }).text;
  expect(textOf(true)).toContain("All API keys were revoked and all webhooks were turned off.");
  expect(textOf(false)).not.toMatch(/API keys|webhooks/);
});

test("offers to reject a factor by its link, or to reset the password if there is none", () => {
  const links = { account: "https://account", reset: "https://reset" };
  const textOf = (notMe: string | null) => factorNoticeEmail("a@b.example", "It changed.", { ...links, notMe }).text;
  expect(textOf("https://not-me")).toMatch(
    /^It changed\. .*\n\nhttps:\/\/account\n\n.*\n\nhttps:\/\/not-me\n\n.*7 days\.\n$/,
  );
  expect(textOf(null)).toMatch(/^It changed\. .*\n\nhttps:\/\/account\n\n.*\n\nhttps:\/\/reset\n$/);
});

test("writes an email as text and as HTML in which nothing is markup that somebody typed", () => {
  const { to, subject, text, html } = addressChangeNoticeEmail(
    "a@b.example",
    "<b>@c.example",
    'https://x.example/?a="&b',
  );
  expect([to, subject]).toEqual(["a@b.example", "New email address for your Growline account"]);
  expect(text).toContain("to <b>@c.example.");
  expect(text).toMatch(/:\n\nhttps:\/\/x\.example\/\?a="&b\n$/);
  expect(html).toMatch(/^<!doctype html><html lang="en"><body><p>We received .*<\/p><\/body><\/html>$/);
  expect(html).toContain("to &lt;b&gt;@c.example.");
  const link = "https://x.example/?a=&quot;&amp;b";
  expect(html).toContain(`<p><a href="${link}">Reset password</a></p><p>${link}</p>`);
});

/** `settle` sends what is queued, oldest first, as the dispatcher does. */
function fakeContext() {
  const sent: Email[] = [];
  const EMAIL = { send: async (mail: Email) => void sent.push(mail) };
  const context = loadContext({ env: { ...withoutDispatcher(env), EMAIL: EMAIL as unknown as SendEmail } });
  return { context, sent, settle: () => runEmailQueue(db, context.env, newEmailMemory()) };
}

function tokenIn(mail: Email | undefined): string {
  const token = /token=([\w-]{43})/.exec(mail?.text ?? "")?.[1];
  if (!token) throw new Error("no token in the email");
  return token;
}
