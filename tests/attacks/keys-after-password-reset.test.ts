import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { eventSentence } from "#app/accounts/events/event-sentence.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { requestReset, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { webhookEndpoints } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { listApiKeys } from "#app/orders/api/api-keys.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf, signedIn, startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const NEXT = "another good password";
const context = loadContext({ env: withoutDispatcher(env) });
const visit = newVisit();

test("cannot use a key or a webhook that was made before its owner reset the password", async () => {
  const owner = await planted();
  const stranger = await planted();
  expect([await statusWith(owner.apiKey), await statusWith(stranger.apiKey)]).toEqual([200, 200]);
  await requestReset(context, visit, owner.email);
  const token = await tokenTo(owner.email, /^Reset/);
  const form = new URLSearchParams({ token, password: NEXT });
  const headers = { Origin: ORIGIN, Host: new URL(ORIGIN).host };
  const reset = await SELF.fetch(`${ORIGIN}/reset-password`, {
    method: "POST",
    headers,
    body: form,
    redirect: "manual",
  });
  expect(reset.status).toBe(302);
  // The gate has cached the key's holder.
  expect([await statusWith(owner.apiKey), await statusWith(stranger.apiKey)]).toEqual([401, 200]);
  expect(await listApiKeys(db, owner.userId)).toEqual([]);
  expect(await webhooksOn(owner.userId)).toEqual([false]);
  expect(await webhooksOn(stranger.userId)).toEqual([true]);
  const events = await listSecurityEvents(db, owner.userId, { limit: 9 });
  expect(events.map((event) => eventSentence({ ...event, device: "" }))).toEqual(
    expect.arrayContaining(["Revoked all API keys", "Turned off all webhooks"]),
  );
  expect(await listSecurityEvents(db, stranger.userId, { limit: 9 })).not.toContainEqual(
    expect.objectContaining({ kind: "api_key_revoked" }),
  );
});

test("tells the owner in the email that keys were revoked", async () => {
  const { email } = await planted();
  await requestReset(context, visit, email);
  const input = { token: await tokenTo(email, /^Reset/), password: NEXT };
  expect(await resetPassword(context, visit, input, programAccess(db, env))).toEqual({ ok: true });
  expect(await textTo(email, /password was changed/)).toContain("All API keys were revoked");
});

test("a refused reset revokes nothing", async () => {
  const { userId, apiKey } = await planted();
  const reset = (token: string, password: string) =>
    resetPassword(context, visit, { token, password }, programAccess(db, env));
  expect(await reset("made-up", NEXT)).toMatchObject({ ok: false });
  expect(await reset("made-up", "password1")).toMatchObject({ ok: false });
  expect(await statusWith(apiKey)).toBe(200);
  expect(await webhooksOn(userId)).toEqual([true]);
});

test("a signed-in change of the password offers to revoke, and keeps both otherwise", async () => {
  const { userId, email, apiKey } = await planted();
  const stranger = await planted();
  const sessionId = await startSession(db, { userId });
  const viewer = { userId, email, sessionId };
  expect(await changePassword(context, visit, viewer, { current: PASSWORD, next: NEXT })).toEqual({ ok: true });
  expect([await statusWith(apiKey), await webhooksOn(userId)]).toEqual([200, [true]]);
  const back = { current: NEXT, next: PASSWORD };
  expect(await changePassword(context, visit, viewer, back, programAccess(db, env))).toEqual({ ok: true });
  expect([await statusWith(apiKey), await webhooksOn(userId)]).toEqual([401, [false]]);
  expect([await statusWith(stranger.apiKey), await webhooksOn(stranger.userId)]).toEqual([200, [true]]);
});

test("the checkbox of the profile page revokes", async () => {
  const { userId, cookie } = await signedIn();
  await createEndpoint(db, env, await ownerOf(userId), "https://shop.example/hook");
  const form = { intent: "password", current: PASSWORD, next: NEXT, endAccess: "on" };
  const changed = await SELF.fetch(`${ORIGIN}/dashboard/account`, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: new URL(ORIGIN).host, Cookie: cookie },
    body: new URLSearchParams(form),
  });
  expect([changed.status, await changed.text()]).toEqual([200, expect.stringContaining("your webhooks turned off")]);
  expect(await webhooksOn(userId)).toEqual([false]);
});

/** Creates an account with a key and a webhook, as somebody may have planted them. */
async function planted() {
  const customer = await customerWith(0);
  const endpoint = await createEndpoint(db, env, await ownerOf(customer.userId), "https://evil.example/hook");
  expect(endpoint.ok).toBe(true);
  return customer;
}

async function statusWith(key: string): Promise<number> {
  const response = await SELF.fetch(`${ORIGIN}/api/balance`, { headers: { Authorization: `Bearer ${key}` } });
  await response.text();
  return response.status;
}

async function webhooksOn(userId: string): Promise<boolean[]> {
  const rows = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.userId, userId));
  return rows.map(({ disabledAt }) => disabledAt === null);
}

async function tokenTo(recipient: string, subject: RegExp): Promise<string> {
  return /token=([\w-]{43})/.exec(await textTo(recipient, subject))?.[1] ?? "";
}

async function textTo(recipient: string, subject: RegExp): Promise<string> {
  const rows = await emailsTo(recipient);
  const contents = await Promise.all(rows.map(({ id, sealedContent }) => openContent(env, id, sealedContent ?? "")));
  return contents.find((content) => subject.test(content.subject))?.text ?? "";
}
