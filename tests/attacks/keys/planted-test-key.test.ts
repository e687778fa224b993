import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { apiKeys, emailVerifications, orders, webhookEndpoints } from "#app/db/schema.server.ts";
import { hasConfirmedEmail } from "#app/email/confirmed-email.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { limitApiKey, rotateApiKey } from "#app/orders/api/api-keys.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { db, newKey, service } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: withoutDispatcher(env) });

test("a key that was planted before the owner confirmed the address never charges, not even when replaced", async () => {
  const { userId, email, cookie } = await signedIn("customer", "Mallory", null);
  const planted = await newKey(userId, { name: "planted", scopes: ["read", "order"], isTest: true });
  for (const may of ["order", "read"]) {
    const refused = await post("/dashboard/api", { intent: "create-key", name: "live", may }, cookie);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("Confirm your email")]);
  }
  const webhook = { intent: "create-webhook", url: "https://evil.example/hook", wantsOrders: "on" };
  await (await post("/dashboard/api", webhook, cookie)).text();
  expect(await db.$count(webhookEndpoints, eq(webhookEndpoints.userId, userId))).toBe(0);

  await openEmailedLink(userId, email);
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "test" });
  const rotated = await rotateApiKey(db, env, await ownerOf(userId), planted.id);
  if (!rotated.ok) throw new Error(rotated.reason);
  await limitApiKey(db, env, await ownerOf(userId), rotated.id, { expiresAt: null, addresses: [], dailyCap: MICRO });
  const serviceId = await service({ rate: MICRO });
  for (const key of [planted.key, rotated.key]) expect(await createOrder(key, serviceId)).toBe(201);
  expect(await readBalance(db, userId)).toBe(MICRO);
  const placed = await db.select().from(orders).where(eq(orders.userId, userId));
  expect(placed.map(({ isTest, providerId }) => ({ isTest, providerId }))).toEqual([
    { isTest: true, providerId: null },
    { isTest: true, providerId: null },
  ]);
  expect(await db.$count(apiKeys, eq(apiKeys.isTest, false))).toBe(0);
});

test("a planted key ends when the owner takes the account over by a reset", async () => {
  const { userId, email } = await signedIn("customer", "Mallory", null);
  const { key } = await newKey(userId, { name: "planted", scopes: ["read", "order"], isTest: true });
  await openEmailedLink(userId, email);
  await requestReset(context, newVisit(), email);
  const input = { token: await resetTokenTo(email), password: "another good password" };
  expect(await resetPassword(context, newVisit(), input, programAccess(db, env))).toEqual({ ok: true });
  expect(await createOrder(key, await service({ rate: MICRO }))).toBe(401);
});

/** Confirms the address as its owner does, in a browser that is not logged in. */
async function openEmailedLink(userId: string, email: string): Promise<void> {
  const { token, digest } = makeEmailToken();
  await db.insert(emailVerifications).values({ tokenDigest: digest, userId, email, expiresAt: Date.now() + 60_000 });
  const confirmed = await post("/account/verify-email", { token }, "");
  expect([confirmed.status, await confirmed.text()]).toEqual([200, expect.stringContaining("is confirmed")]);
  expect(await hasConfirmedEmail(db, userId)).toBe(true);
}

async function resetTokenTo(recipient: string): Promise<string> {
  const rows = (await emailsTo(recipient)).filter(({ kind }) => kind === "password_reset");
  const { id = "", sealedContent } = rows.at(-1) ?? {};
  const { text } = await openContent(env, id, sealedContent ?? "");
  return /token=([\w-]{43})/.exec(text)?.[1] ?? "";
}

async function createOrder(key: string, serviceId: number): Promise<number> {
  const response = await SELF.fetch(`${ORIGIN}/api/v1/create_order`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ service: serviceId, link: "https://instagram.com/p/1", quantity: 1000 }),
  });
  await response.text();
  return response.status;
}

function post(path: string, form: Record<string, string>, cookie: string): Promise<Response> {
  const headers = { Origin: ORIGIN, Host: new URL(ORIGIN).host, Cookie: cookie };
  return SELF.fetch(ORIGIN + path, { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" });
}
