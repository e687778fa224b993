import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { startDeletion } from "#app/accounts/deletion/start-deletion.server.ts";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { logIn, signUp } from "#app/accounts/sign-in/sign-in.server.ts";
import { connect } from "#app/db/db.server.ts";
import { emails, securityEvents } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const db = connect(env.DB);
const NEXT = "another good password";

test("records what changes the security of an account, in order", async () => {
  const { context, settle } = settledContext();
  const email = `${crypto.randomUUID()}@test.example`;
  const made = await signUp(context, newVisit(), { email, password: PASSWORD, fullName: "" });
  if (!made.ok) throw new Error(made.text);
  const viewer = { userId: made.userId, sessionId: made.sessionId, email };
  await settle();
  await logIn(context, newVisit(), { email, password: "a wrong password" });
  await settle();
  await logIn(context, newVisit(), { email: email.toUpperCase(), password: PASSWORD });
  await settle();
  await changePassword(context, newVisit(), viewer, { current: "wrong", next: NEXT });
  await settle();
  await changePassword(context, newVisit(), viewer, { current: PASSWORD, next: NEXT });
  await requestEmailChange(context, newVisit(), viewer, { newEmail: "new@test.example", password: NEXT });
  await requestReset(context, newVisit(), email);
  await resetPassword(
    context,
    newVisit(),
    { token: await resetTokenOf(email), password: PASSWORD },
    programAccess(db, env),
  );
  await startDeletion(context, newVisit(), viewer, "wrong");
  await settle();
  const events = await listSecurityEvents(db, made.userId, { limit: 99 });
  expect(events.reverse().map(({ kind, detail }) => ({ kind, detail }))).toEqual([
    { kind: "signed_up", detail: {} },
    { kind: "log_in_failed", detail: {} },
    // Its request carries no cookie of the device that signed up.
    { kind: "new_device", detail: {} },
    { kind: "denied", detail: { action: "change_password" } },
    { kind: "password_changed", detail: {} },
    { kind: "email_change_requested", detail: { email: "new@test.example" } },
    { kind: "password_reset_requested", detail: {} },
    { kind: "password_reset", detail: {} },
    { kind: "denied", detail: { action: "delete_account" } },
  ]);
});

test("records that attempts on an account were limited", async () => {
  const { context, settle } = settledContext();
  const { userId, email } = await newAccount();
  for (let i = 0; i < 4; i++) await requestReset(context, newVisit(), email);
  await settle();
  const events = await listSecurityEvents(db, userId, { limit: 99 });
  expect(events.map(({ kind }) => kind).filter((kind) => kind === "limited")).toHaveLength(1);
});

test("stores nothing about an email address without an account", async () => {
  const { context, settle } = settledContext();
  const before = await db.$count(securityEvents);
  const email = "nobody@test.example";
  await logIn(context, newVisit(), { email, password: PASSWORD });
  for (let i = 0; i < 4; i++) await requestReset(context, newVisit(), email);
  await settle();
  expect(await db.$count(securityEvents)).toBe(before);
});

/** Returns a context without emails, and a function that waits for what it does after the response. */
function settledContext(): { context: AppLoadContext; settle: () => Promise<unknown> } {
  const work: Promise<unknown>[] = [];
  const context = loadContext({ env: withoutDispatcher(env), waitUntil: (one) => void work.push(one) });
  return { context, settle: () => Promise.all(work) };
}

async function resetTokenOf(email: string): Promise<string> {
  const queued = await db.select().from(emails).where(eq(emails.recipient, email));
  const reset = queued.find(({ kind }) => kind === "password_reset");
  const { text } = await openContent(env, reset?.id ?? "", reset?.sealedContent ?? "");
  return /token=([\w-]+)/.exec(text)?.[1] ?? "";
}
