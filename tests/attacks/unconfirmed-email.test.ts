import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { confirmEmail, resendVerification } from "#app/accounts/email-address/email-verification.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { checkouts, emails, emailVerifications, users, webhookEndpoints } from "#app/db/schema.server.ts";
import { hasConfirmedEmail } from "#app/email/confirmed-email.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { listApiKeys, rotateApiKey } from "#app/orders/api/api-keys.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf, signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN, roomOf } from "#tests/workerd/support-visitor.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const context = loadContext({ env: withoutDispatcher(env) });
const visit = newVisit();
const FIRST = "Confirm your email address first.";
const unconfirmed = () => signedIn("customer", "Test Customer", null);

test("cannot plant a webhook in an account of somebody else's address", async () => {
  const { userId, cookie } = await unconfirmed();
  const form = { intent: "create-webhook", url: "https://evil.example/hook", wantsOrders: "on" };
  const refused = await post("/dashboard/api", form, cookie);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(FIRST)]);
  expect(await db.$count(webhookEndpoints, eq(webhookEndpoints.userId, userId))).toBe(0);
  await confirm(userId);
  expect((await post("/dashboard/api", form, cookie)).status).toBe(200);
});

test("cannot create or use a live API key in an account of somebody else's address", async () => {
  const { userId, cookie } = await unconfirmed();
  const refused = await post("/dashboard/api", { intent: "create-key", name: "shop", may: "order" }, cookie);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(FIRST)]);
  await expect(newKey(userId, { name: "shop", scopes: ["read"] })).rejects.toThrow("email_unconfirmed");
  expect(await listApiKeys(db, userId)).toEqual([]);

  await confirm(userId);
  const { id, key } = await newKey(userId, { name: "shop", scopes: ["read"] });
  await db.update(users).set({ emailConfirmedAt: null }).where(eq(users.id, userId));
  const used = await SELF.fetch(`${ORIGIN}/api/balance`, { headers: { Authorization: `Bearer ${key}` } });
  expect([used.status, await used.text()]).toEqual([403, expect.stringContaining("Confirm your email address")]);
  expect(await rotateApiKey(db, env, await ownerOf(userId), id)).toEqual({ ok: false, reason: "not_found" });
});

test("an unconfirmed account can create and use a test key", async () => {
  const { userId, cookie } = await unconfirmed();
  const made = await post("/dashboard/api", { intent: "create-key", name: "try", may: "test" }, cookie);
  expect([made.status, await made.text()]).toEqual([200, expect.stringMatching(/gl_test_[0-9a-f]{54}/)]);
  const { key } = await newKey(userId, { name: "try", scopes: ["read"], isTest: true });
  const headers = { Authorization: `Bearer ${key}` };
  expect((await SELF.fetch(`${ORIGIN}/api/balance`, { headers })).status).toBe(200);
});

test("cannot pay by card from an account of somebody else's address", async () => {
  const { userId, cookie } = await unconfirmed();
  const refused = await post("/dashboard/top-up", { intent: "card", amount: "20" }, cookie);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(FIRST)]);
  expect(await db.$count(checkouts, eq(checkouts.userId, userId))).toBe(0);
});

test("cannot email a conversation to an address that the account has not confirmed", async () => {
  const { userId, cookie, email } = await unconfirmed();
  const sessionId = userSessionId(userId);
  const headers = { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie };
  const send = (path: string, body: object) =>
    SELF.fetch(`${ORIGIN}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await (await send("/support/session", { name: "Mallory", email })).text();
  await roomOf(sessionId).setStatus("closed");
  const transcript = () => send(`/support/sessions/${sessionId}/transcript`, {});
  const refused = await transcript();
  expect([refused.status, await refused.json()]).toEqual([403, { error: "email_unconfirmed" }]);
  expect(await db.$count(emails, eq(emails.recipient, email))).toBe(0);
  await confirm(userId);
  expect((await transcript()).status).toBe(204);
});

test("a link confirms by POST only, once, and only the address that it was sent to", async () => {
  const { userId, email } = await unconfirmed();
  const token = await mailedToken(userId, email);
  const opened = await SELF.fetch(`${ORIGIN}/account/verify-email?token=${token}`);
  expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining("Confirm email address")]);
  expect(await hasConfirmedEmail(db, userId)).toBe(false);

  const other = `${crypto.randomUUID()}@test.example`;
  await db.update(users).set({ email: other }).where(eq(users.id, userId));
  expect(await confirmEmail(context, visit, token)).toBeNull();
  await db.update(users).set({ email }).where(eq(users.id, userId));
  const later = await mailedToken(userId, email);
  expect((await post("/account/verify-email", { token }, "")).status).toBe(200);
  expect(await hasConfirmedEmail(db, userId)).toBe(true);
  for (const used of [token, later])
    expect((await post("/account/verify-email", { token: used }, "")).status).toBe(400);
});

test("a link expires, and links are emailed a few times per hour", async () => {
  const { userId, email } = await unconfirmed();
  const token = await mailedToken(userId, email);
  const [row] = await db.select().from(emailVerifications).where(eq(emailVerifications.userId, userId));
  expect(JSON.stringify(row)).not.toContain(token);
  expect(await confirmEmail(context, visit, token, (row?.expiresAt ?? 0) + 1)).toBeNull();
  for (let sent = 1; sent < 5; sent++) await mailedToken(userId, email);
  expect(await resendVerification(context, visit, { userId, email })).toMatchObject({ ok: false });
});

test("a reset by the emailed link confirms the address too", async () => {
  const { userId, email } = await unconfirmed();
  await requestReset(context, visit, email);
  const token = await tokenTo(email);
  expect(
    await resetPassword(context, visit, { token, password: "another good password" }, programAccess(db, env)),
  ).toEqual({ ok: true });
  expect(await hasConfirmedEmail(db, userId)).toBe(true);
});

async function confirm(userId: string): Promise<void> {
  await db.update(users).set({ emailConfirmedAt: 1 }).where(eq(users.id, userId));
}

/** Has a verification email sent and returns its token. */
async function mailedToken(userId: string, email: string): Promise<string> {
  expect(await resendVerification(context, visit, { userId, email })).toEqual({ ok: true });
  return tokenTo(email);
}

async function tokenTo(recipient: string): Promise<string> {
  const rows = await db.select().from(emails).where(eq(emails.recipient, recipient));
  const last = rows.at(-1);
  const { text } = await openContent(env, last?.id ?? "", last?.sealedContent ?? "");
  return /token=([\w-]{43})/.exec(text)?.[1] ?? "";
}

function post(path: string, form: Record<string, string>, cookie: string): Promise<Response> {
  const headers = { Origin: ORIGIN, Host: new URL(ORIGIN).host, Cookie: cookie };
  return SELF.fetch(ORIGIN + path, { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" });
}
