import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { confirmEmailChange, requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { changePassword, readAccount } from "#app/accounts/profile/profile.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { connect } from "#app/db/db.server.ts";
import { newEmailMemory } from "#app/email/email-pace.ts";
import { runEmailQueue } from "#app/email/email-queue.server.ts";
import type { Email } from "#app/email/send-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const db = connect(env.DB);
const visit = newVisit();

test("cannot take an account over by an email change that was requested before its owner changed the password", async () => {
  const { userId, email, token, context, sent } = await requestedChange();
  const sessionId = await startSession(db, { userId });
  const next = { current: PASSWORD, next: "another good password" };
  expect(await changePassword(context, visit, { userId, email, sessionId }, next)).toEqual({ ok: true });
  expect(await confirmEmailChange(context, visit, token, { userId, sessionId })).toEqual({
    ok: false,
    reason: "link_expired",
  });
  expect((await readAccount(db, userId)).email).toBe(email);
  expect(sent.filter(({ subject }) => subject.startsWith("Confirm"))).toHaveLength(1);
});

test("cannot take an account over by an email change that was requested before its owner reset the password", async () => {
  const { userId, email, token, context, sent, send } = await requestedChange();
  await requestReset(context, visit, email);
  await send();
  const reset = sent.find(({ to, subject }) => to === email && subject.startsWith("Reset"));
  const input = { token: /token=([\w-]{43})/.exec(reset?.text ?? "")?.[1] ?? "", password: "another good password" };
  expect(await resetPassword(context, visit, input, programAccess(db, env))).toEqual({ ok: true });
  const sessionId = await startSession(db, { userId });
  expect(await confirmEmailChange(context, visit, token, { userId, sessionId })).toEqual({
    ok: false,
    reason: "link_expired",
  });
  expect((await readAccount(db, userId)).email).toBe(email);
});

test("cannot confirm a change by a link that was still queued when the password changed", async () => {
  const { userId, email, context, sent, send } = await requestedChange({ sendAtOnce: false });
  const sessionId = await startSession(db, { userId });
  const next = { current: PASSWORD, next: "another good password" };
  expect(await changePassword(context, visit, { userId, email, sessionId }, next)).toEqual({ ok: true });
  await send();
  expect(sent.map(({ subject }) => subject)).not.toContainEqual(expect.stringMatching(/^Confirm/));
});

test("cannot keep a session in an account whose owner has moved it to another address", async () => {
  const { userId, token, context } = await requestedChange();
  await startSession(db, { userId });
  const own = await startSession(db, { userId });
  const stranger = await newAccount();
  const strange = await startSession(db, { userId: stranger.userId });
  expect(await confirmEmailChange(context, visit, token, { userId, sessionId: own })).toMatchObject({ ok: true });
  expect((await listSessions(db, userId)).map(({ id }) => id)).toEqual([own]);
  expect((await listSessions(db, stranger.userId)).map(({ id }) => id)).toEqual([strange]);
});

/** Requests a change of a new account's address, as somebody would who knows its password. */
async function requestedChange({ sendAtOnce = true } = {}) {
  const sent: Email[] = [];
  const EMAIL = { send: async (mail: Email) => void sent.push(mail) } as unknown as SendEmail;
  const context = loadContext({ env: { ...withoutDispatcher(env), EMAIL } });
  const send = () => runEmailQueue(db, context.env, newEmailMemory());
  const { userId, email } = await newAccount();
  const sessionId = await startSession(db, { userId });
  const newEmail = `${crypto.randomUUID()}@attacker.example`;
  const change = { newEmail, password: PASSWORD };
  expect(await requestEmailChange(context, visit, { userId, email, sessionId }, change)).toEqual({ ok: true });
  if (sendAtOnce) await send();
  const mail = sent.find(({ to }) => to === newEmail);
  const token = /token=([\w-]{43})/.exec(mail?.text ?? "")?.[1] ?? "";
  return { userId, email, token, context, sent, send };
}
