import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { isResetToken, requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { connect } from "#app/db/db.server.ts";
import { emailChanges, emailVerifications, users } from "#app/db/schema.server.ts";
import { newEmailMemory } from "#app/email/email-pace.ts";
import { runEmailQueue } from "#app/email/email-queue.server.ts";
import type { Email } from "#app/email/send-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { DAY_MS } from "#app/time.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { confirmEmailChange, mayConfirmEmailChange, requestEmailChange } from "./email-change.server.ts";
import { confirmEmail, resendVerification } from "./email-verification.server.ts";

const db = connect(env.DB);
const visit = newVisit();
const NEXT = "another good password";

test("ends the reset and verification links to the old address when the address changes, and nobody else's", async () => {
  const [person, other] = [await withEveryLink(), await withEveryLink()];
  expect(await confirmEmailChange(person.context, visit, person.change, person.viewer)).toMatchObject({ ok: true });
  expect(await isResetToken(db, person.reset)).toBe(false);
  expect(await resetBy(person)).toEqual({ ok: false, reason: "link_expired" });
  expect(await verificationsOf(person)).toBe(0);

  expect(await isResetToken(db, other.reset)).toBe(true);
  expect(await confirmEmail(other.context, visit, other.verification)).toMatchObject({ userId: other.viewer.userId });
  expect(await confirmEmailChange(other.context, visit, other.change, other.viewer)).toMatchObject({ ok: true });
});

test("ends a requested change and every other link when the password is reset, and nobody else's", async () => {
  const [person, other] = [await withEveryLink(), await withEveryLink()];
  const second = await person.requestAnotherReset();
  expect(await isResetToken(db, second)).toBe(true);
  expect(await resetBy(person)).toEqual({ ok: true });
  expect(await isResetToken(db, second)).toBe(false);
  expect(await verificationsOf(person)).toBe(0);
  const sessionId = await startSession(db, { userId: person.viewer.userId });
  expect(await confirmEmailChange(person.context, visit, person.change, { ...person.viewer, sessionId })).toEqual({
    ok: false,
    reason: "link_expired",
  });

  expect(await isResetToken(db, other.reset)).toBe(true);
  expect(await verificationsOf(other)).toBe(1);
  expect(await confirmEmailChange(other.context, visit, other.change, other.viewer)).toMatchObject({ ok: true });
});

test("refuses to change the address by a link that is a day old", async () => {
  const { context, change, viewer } = await withEveryLink();
  const [row] = await db.select().from(emailChanges).where(eq(emailChanges.userId, viewer.userId));
  expect(Math.abs((row?.expiresAt ?? 0) - Date.now() - DAY_MS)).toBeLessThan(60 * 60_000);
  expect(await mayConfirmEmailChange(db, change, crypto.randomUUID())).toBe(false);
  await db.update(emailChanges).set({ expiresAt: Date.now() }).where(eq(emailChanges.userId, viewer.userId));
  expect(await confirmEmailChange(context, visit, change, viewer)).toEqual({ ok: false, reason: "link_expired" });
  // Whoever opens it learns that it has expired.
  expect(await mayConfirmEmailChange(db, change, crypto.randomUUID())).toBe(true);
  const [account] = await db.select({ email: users.email }).from(users).where(eq(users.id, viewer.userId));
  expect(account?.email).toBe(viewer.email);
});

test("confirms an address only by a link that was sent to it, and within its time", async () => {
  const [person, late] = [await withEveryLink(), await withEveryLink()];
  await db
    .update(users)
    .set({ email: `moved-${person.viewer.email}` })
    .where(eq(users.id, person.viewer.userId));
  expect(await confirmEmail(person.context, visit, person.verification)).toBeNull();
  expect(await verificationsOf(person)).toBe(1);
  const expired = { expiresAt: Date.now() };
  await db.update(emailVerifications).set(expired).where(eq(emailVerifications.userId, late.viewer.userId));
  expect(await confirmEmail(late.context, visit, late.verification)).toBeNull();
});

type Holder = Awaited<ReturnType<typeof withEveryLink>>;

/** Returns an account to which a link of each kind was emailed: a change of its address, a reset and a verification. */
async function withEveryLink() {
  const sent: Email[] = [];
  const EMAIL = { send: async (mail: Email) => void sent.push(mail) } as unknown as SendEmail;
  const context = loadContext({ env: { ...withoutDispatcher(env), EMAIL } });
  const { userId, email } = await newAccount();
  const viewer = { userId, email, sessionId: await startSession(db, { userId }) };
  const emailedTo = async (to: string) => {
    sent.length = 0;
    await runEmailQueue(db, context.env, newEmailMemory());
    const token = /token=([\w-]{43})/.exec(sent.find((mail) => mail.to === to)?.text ?? "")?.[1];
    if (!token) throw new Error(`no link was sent to ${to}`);
    return token;
  };
  const requestAnotherReset = async () => {
    await requestReset(context, visit, email);
    return emailedTo(email);
  };
  const newEmail = `new-${email}`;
  expect(await requestEmailChange(context, visit, viewer, { newEmail, password: PASSWORD })).toEqual({ ok: true });
  const change = await emailedTo(newEmail);
  const reset = await requestAnotherReset();
  expect(await resendVerification(context, visit, { userId, email })).toEqual({ ok: true });
  const verification = await emailedTo(email);
  return { context, viewer, change, reset, verification, requestAnotherReset };
}

function resetBy({ context, reset }: Holder) {
  return resetPassword(context, visit, { token: reset, password: NEXT }, programAccess(db, env));
}

function verificationsOf({ viewer }: Holder): Promise<number> {
  return db.$count(emailVerifications, eq(emailVerifications.userId, viewer.userId));
}
