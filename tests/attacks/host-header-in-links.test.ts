import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { confirmEmailChange, requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { resendVerification } from "#app/accounts/email-address/email-verification.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { requestReset } from "#app/accounts/recovery/password-reset.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { startConnectionFor } from "#app/gmail/connect/gmail-caller.server.ts";
import { accountOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { submitTopUpForm } from "#app/orders/top-up/top-up-form.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { lane } from "#tests/workerd/gmail-mailbox.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { stripeEnv } from "#tests/workerd/stripe-events.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const OURS = "https://growline.example";
const context = loadContext({ env: withoutDispatcher(env) });
const foreign = () => new Request("https://evil.example/reset-password", { method: "POST" });
const visit = () => readVisit(context, foreign());

test("cannot point the link of a reset email at another site by the Host header", async () => {
  const { email } = await newAccount();
  expect(await requestReset(context, await visit(), email)).toEqual({ ok: true });
  expect(await linksTo(email)).toEqual([expect.stringMatching(`^${OURS}/reset-password\\?token=[\\w-]{43}$`)]);
});

test("cannot point the links of account notices at another site", async () => {
  const { userId, email } = await newAccount();
  const newEmail = `${crypto.randomUUID()}@test.example`;
  await requestEmailChange(
    context,
    await visit(),
    { userId, email, sessionId: "any" },
    { newEmail, password: PASSWORD },
  );
  const sessionId = await startSession(db, { userId });
  await changePassword(
    context,
    await visit(),
    { userId, email, sessionId },
    { current: PASSWORD, next: "a good password" },
  );
  const links = [...(await linksTo(email)), ...(await linksTo(newEmail))];
  expect(links.length).toBeGreaterThan(1);
  expect(links.filter((link) => !link.startsWith(`${OURS}/`))).toEqual([]);
});

test("cannot point the links that undo a change, confirm an address or reject a log-in at another site", async () => {
  const { userId, email } = await newAccount();
  for (let device = 0; device < 2; device++) await logIn(context, await visit(), { email, password: PASSWORD });
  const newEmail = `${crypto.randomUUID()}@test.example`;
  await requestEmailChange(
    context,
    await visit(),
    { userId, email, sessionId: "any" },
    { newEmail, password: PASSWORD },
  );
  const token = new URL((await linksTo(newEmail))[0] ?? "").searchParams.get("token") ?? "";
  const sessionId = await startSession(db, { userId });
  expect(await confirmEmailChange(context, await visit(), token, { userId, sessionId })).toMatchObject({ ok: true });
  await resendVerification(context, await visit(), { userId, email });
  const links = await linksTo(email);
  for (const path of ["/account/not-me", "/account/undo-email-change", "/account/verify-email"]) {
    expect(links).toContainEqual(expect.stringContaining(`${OURS}${path}?`));
  }
  expect(links.filter((link) => !link.startsWith(`${OURS}/`))).toEqual([]);
});

test("cannot have Google redirect to another site", async () => {
  const { userId } = await newAccount();
  const google = { request: foreign(), context: { ...context, env: (await lane()).env } };
  const started = await startConnectionFor(google, { owner: accountOwner(userId), headers: new Headers() }, "page");
  if (!started.ok) throw new Error(started.fault);
  expect(new URL(started.authUrl).searchParams.get("redirect_uri")).toBe(`${OURS}/gmail-sync/callback`);
});

test("cannot have Stripe's checkout return to another site", async () => {
  const body = new URLSearchParams({ intent: "card", amount: "20" });
  const request = new Request("https://evil.example/dashboard/top-up", { method: "POST", body });
  const form = await request.clone().formData();
  const outcome = await submitTopUpForm({ ...context, env: stripeEnv() }, request, form, await newAccount());
  const url = (outcome.kind === "shown" && outcome.result.url) || "";
  const canceled = await fetch(`${url}/cancel`, { method: "POST", redirect: "manual" });
  expect(canceled.headers.get("Location")).toMatch(`${OURS}/dashboard/top-up?canceled=`);
});

/** Returns the links of the emails queued to that address. */
async function linksTo(recipient: string): Promise<string[]> {
  const rows = await emailsTo(recipient);
  const contents = await Promise.all(rows.map(({ id, sealedContent }) => openContent(env, id, sealedContent ?? "")));
  return contents.flatMap(({ text }) => text.match(/https?:\S+/g) ?? []);
}
