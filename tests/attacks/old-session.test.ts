import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test, vi } from "vitest";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { verifiedHash } from "#app/accounts/password/verified-password.server.ts";
import { endSession, listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { recordPasswordProof, STEP_UP_MS } from "#app/accounts/step-up/recent-proof.server.ts";
import {
  authSessions,
  orders,
  providers,
  securityEvents,
  services,
  users,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { listApiKeys } from "#app/orders/api/api-keys.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { createEndpoint, listEndpoints } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { countRows, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type SignedInAccount, sessionCookie, signedIn } from "#tests/workerd/signed-in-account.ts";

test("cannot move money, make keys, change factors or take data with a session that was verified long ago", async () => {
  const admin = await signedIn("admin");
  const customer = await signedIn();
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const placed = await placeOrder(db, userId, {
    serviceId,
    fields: { link: "https://instagram.com/p/1", quantity: "1000" },
    idempotencyKey: null,
    source: "web",
  });
  const orderId = placed.ok ? placed.order.id : 0;
  const { id: keyId } = await newKey(customer.userId, { name: "shop", scopes: ["read"] });
  const created = await createEndpoint(db, env, customer, "https://shop.example/hook");
  const endpointId = created.ok ? created.id : "";
  await db.update(webhookEndpoints).set({ disabledAt: 1 }).where(eq(webhookEndpoints.id, endpointId));
  const endpoints = await listEndpoints(db, customer.userId);
  await sessionCookie(customer.userId);
  const [endedId = ""] = (await listSessions(db, customer.userId))
    .map(({ id }) => id)
    .filter((id) => id !== customer.sessionId);
  const providerId = await sandboxProvider();
  const settings = { name: "Evil", apiUrl: "https://evil.example/api/v2", key: "k", concurrentCalls: "1" };
  const reason = "stolen session";
  const once = crypto.randomUUID();
  const attacks: [SignedInAccount, string, Record<string, string>][] = [
    [admin, `/admin/customers/${userId}`, { intent: "adjust", direction: "topup", amount: "5", reason, once }],
    [admin, "/admin/codes", { intent: "save", name: "c", amount: "5", count: "1", maxUses: "1", expires: "", once }],
    [admin, "/admin/tiers", { intent: "save", name: "Mine", kind: "percent", percent: "90", once }],
    [admin, "/admin/tiers/1", { intent: "tier", name: "Mine", percent: "90" }],
    [admin, `/admin/customers/${userId}`, { intent: "assign-tier", tier: "1", version: "0" }],
    [admin, "/admin/payments/1", { intent: "accept", amount: "5", reason, once }],
    [admin, "/admin/providers", { intent: "provider", ...settings, once }],
    [admin, `/admin/providers/${providerId}`, { intent: "provider", ...settings }],
    [admin, `/admin/providers/${providerId}`, { intent: "import", digest: "d", picked: "[]" }],
    [admin, `/admin/services/${serviceId}`, { intent: "service", name: "Likes", rate: "0.01", once }],
    [admin, `/admin/orders/${orderId}`, { intent: "status", status: "Canceled", remains: "1000", reason }],
    [admin, `/admin/orders/${orderId}`, { intent: "refund", amount: "0.5", reason }],
    [admin, "/admin/settings", { contactEmail: "help@evil.example", awayMessage: "Write to help@evil.example" }],
    [admin, "/admin/announcements", { intent: "save", body: "Log in again", link: "https://evil.example", once }],
    [admin, "/admin/announcements", { intent: "delete", id: "1", version: "1" }],
    [customer, "/dashboard/api", { intent: "create-key", name: "mine" }],
    [customer, "/dashboard/api", { intent: "rotate-key", id: keyId }],
    [customer, "/dashboard/api", { intent: "limit-key", id: keyId }],
    [customer, "/dashboard/api", { intent: "create-webhook", url: "https://evil.example/hook", wantsOrders: "on" }],
    [customer, "/dashboard/api", { intent: "rotate-secret", id: endpointId }],
    [customer, "/dashboard/api", { intent: "enable-webhook", id: endpointId }],
    [customer, "/dashboard/api", { intent: "choose-events", id: endpointId, wantsCatalog: "on" }],
    [customer, "/dashboard/account", { intent: "end-session", id: endedId }],
    [customer, "/dashboard/account", { intent: "end-others" }],
    [customer, "/account/two-step", { intent: "start-totp" }],
    [customer, "/account/two-step", { intent: "confirm-totp", code: "000000" }],
    [customer, "/account/two-step", { intent: "remove-totp" }],
    [customer, "/account/two-step", { intent: "new-codes" }],
    [customer, "/account/two-step", { intent: "passkey", name: "mine" }],
    [customer, "/account/two-step", { intent: "change-passkey", id: "1", name: "mine" }],
    [customer, "/account/two-step", { intent: "remove-passkey", id: "1" }],
  ];
  for (const { sessionId } of [admin, customer]) await age(sessionId);
  const catalog = [await db.select().from(providers), await db.select().from(services)];
  const before = await countRows();
  const keys = await listApiKeys(db, customer.userId);
  for (const [{ cookie }, path, fields] of attacks) {
    const response = await post(cookie, path, fields);
    expect([path, response.status, response.headers.get("Location")]).toEqual([path, 302, verifyPage(path)]);
  }
  const exports: [SignedInAccount, string, string][] = [
    ...["customers", "orders", "payments", "audit", "emails", "codes"].map(
      (list) => [admin, `/admin/exports/${list}`, "/admin/today"] as [SignedInAccount, string, string],
    ),
    [customer, "/dashboard/account/export", "/dashboard/account"],
    [customer, "/dashboard/orders.csv", "/dashboard/orders"],
    [customer, "/dashboard/transactions.csv", "/dashboard/transactions"],
  ];
  for (const [{ cookie }, path, back] of exports) {
    const { status, headers } = await open(cookie, path);
    expect([path, status, headers.get("Location")]).toEqual([path, 302, verifyPage(back)]);
  }
  expect(await countRows()).toEqual(before);
  expect(await listApiKeys(db, customer.userId)).toEqual(keys);
  expect(await listEndpoints(db, customer.userId)).toEqual(endpoints);
  expect(await listSessions(db, customer.userId)).toHaveLength(2);
  const after = [await db.select().from(providers), await db.select().from(services)];
  expect(after).toEqual(catalog);
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 900_000);
  expect((await db.select().from(orders).where(eq(orders.id, orderId)))[0]).toMatchObject({ status: "Pending" });

  expect((await prove(admin.cookie, { intent: "password", password: PASSWORD })).status).toBe(200);
  const [, path, fields] = attacks[0] ?? [admin, "", {}];
  const done = await post(admin.cookie, path, fields);
  expect(done.headers.get("Location")).toBe(path);
  expect(await readBalance(db, userId)).toBe(15 * MICRO - 900_000);
  // The customer's session is another one.
  expect((await post(customer.cookie, "/dashboard/api", { intent: "create-key", name: "mine" })).status).toBe(302);
});

test("cannot use a proof of another person, or of the same person's other session", async () => {
  const owner = await signedIn();
  const stranger = await signedIn();
  const otherCookie = await sessionCookie(owner.userId);
  await age(owner.sessionId);
  expect((await prove(stranger.cookie, { intent: "password", password: PASSWORD })).status).toBe(200);
  expect((await prove(otherCookie, { intent: "password", password: PASSWORD })).status).toBe(200);
  const fields = { intent: "password", password: PASSWORD, userId: owner.userId, sessionId: owner.sessionId };
  expect((await prove(stranger.cookie, fields)).status).toBe(200);
  expect((await post(owner.cookie, "/dashboard/api", { intent: "create-key", name: "x" })).status).toBe(302);
  expect((await prove("", fields)).status).toBe(401);
});

test("cannot guess the password in parallel, and leaves the guesses in the activity list", async () => {
  const { cookie, sessionId, userId } = await signedIn();
  await age(sessionId);
  const guesses = Array.from({ length: 15 }, (_, n) => prove(cookie, { intent: "password", password: `guess ${n}` }));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(400), ...Array(5).fill(429)]);
  const late = await prove(cookie, { intent: "password", password: PASSWORD });
  expect([late.status, Number(late.headers.get("Retry-After")) > 0]).toEqual([429, true]);
  expect(await late.text()).not.toContain(PASSWORD);
  await vi.waitFor(
    async () => {
      const kinds = await db.select().from(securityEvents).where(eq(securityEvents.userId, userId));
      expect(kinds.filter(({ kind }) => kind === "denied")).toHaveLength(10);
      expect(kinds.filter(({ kind }) => kind === "limited")).toHaveLength(6);
    },
    { timeout: 90_000 },
  );
  expect((await post(cookie, "/dashboard/api", { intent: "create-key", name: "x" })).status).toBe(302);
  // Another session has attempts of its own.
  expect((await prove(await sessionCookie(userId), { intent: "password", password: PASSWORD })).status).toBe(200);
});

test("cannot prove by a password that has changed since it was checked, or in an ended session", async () => {
  const { userId, sessionId } = await signedIn();
  await age(sessionId);
  const verified = await verifiedHash(db, userId, PASSWORD, unlimitedCaller());
  if (verified === null) throw new Error("wrong password");
  await db.update(users).set({ passwordHash: "another" }).where(eq(users.id, userId));
  expect(await recordPasswordProof(db, { userId, sessionId }, verified)).toBe(false);
  await db.update(users).set({ passwordHash: verified }).where(eq(users.id, userId));
  const stranger = await signedIn();
  expect(await recordPasswordProof(db, { userId: stranger.userId, sessionId }, verified)).toBe(false);
  expect(await recordPasswordProof(db, { userId, sessionId }, verified)).toBe(true);
  await endSession(db, userId, sessionId);
  expect(await recordPasswordProof(db, { userId, sessionId }, verified)).toBe(false);
});

test("accepts a code once, and only from the account's own app", async () => {
  const owner = await signedIn();
  const other = await sessionCookie(owner.userId);
  const setup = await startTotpSetup(db, env, owner);
  const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") });
  const now = Date.now();
  expect(await confirmTotp(db, env, owner, totp.generate({ timestamp: now - 30_000 }))).toBe(true);
  await age(owner.sessionId);
  const code = totp.generate({ timestamp: now });
  const stranger = await signedIn();
  expect((await prove(stranger.cookie, { intent: "code", code })).status).toBe(400);
  expect((await prove(owner.cookie, { intent: "code", code: "000000" })).status).toBe(400);
  expect((await prove(owner.cookie, { intent: "code", code })).status).toBe(200);
  expect((await prove(other, { intent: "code", code })).status).toBe(400);
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, owner.sessionId));
  expect(session?.verifiedAt).toBeGreaterThanOrEqual(now);
  expect(session?.secondFactorAt).toBeGreaterThanOrEqual(now);
});

test("asks on a page without scripts, and leads back within the site only", async () => {
  const { cookie, sessionId } = await signedIn();
  await age(sessionId);
  const page = await SELF.fetch(SITE + verifyPage("/dashboard/api"), { headers: { Cookie: cookie } });
  expect(await page.text()).toContain("Confirm it");
  const wrong = await post(cookie, "/auth/verify", { intent: "password", password: "x", redirectTo: "/dashboard/api" });
  expect(wrong.status).toBe(400);
  const confirm = { intent: "password", password: PASSWORD };
  const right = await post(cookie, "/auth/verify", { ...confirm, redirectTo: "/dashboard/api" });
  expect([right.status, right.headers.get("Location")]).toEqual([302, "/dashboard/api"]);
  for (const redirectTo of ["//evil.example", "https://evil.example", "/.//evil.example"]) {
    const outside = await post(cookie, "/auth/verify", { ...confirm, redirectTo });
    expect(outside.headers.get("Location"), redirectTo).toBe("/dashboard");
  }
});

test("leads from an export to no page that isn't a list: the proof, an export or a log-out", async () => {
  const { cookie, sessionId } = await signedIn("admin");
  await age(sessionId);
  const [files, places] = [
    {
      "/admin/exports/orders": "/admin/today",
      "/dashboard/orders.csv": "/dashboard/orders",
      "/dashboard/transactions.csv": "/dashboard/transactions",
    },
    ["/auth/verify?redirectTo=%2Fadmin", "/auth/logout", "/dashboard/orders.csv", "/admin/exports/orders?status=held"],
  ];
  for (const [file, fallback] of Object.entries(files)) {
    for (const place of places) {
      const { headers } = await open(cookie, file, { Referer: SITE + place });
      expect(headers.get("Location"), `${file} from ${place}`).toBe(verifyPage(fallback));
    }
    const { headers } = await open(cookie, file, { Referer: `${SITE}/dashboard/orders?status=held` });
    expect(headers.get("Location")).toBe(verifyPage("/dashboard/orders?status=held"));
  }
});

test("leads from an export to the page that links to it, on this site only", async () => {
  const { cookie, sessionId } = await signedIn("admin");
  await age(sessionId);
  const locations = await Promise.all(
    [`${SITE}/admin/orders?status=held`, "https://evil.example/admin/orders", "//evil.example", ""].map(
      async (Referer) => (await open(cookie, "/admin/exports/orders", { Referer })).headers.get("Location"),
    ),
  );
  const elsewhere = verifyPage("/admin/today");
  expect(locations).toEqual([verifyPage("/admin/orders?status=held"), elsewhere, elsewhere, elsewhere]);
  expect((await prove(cookie, { intent: "password", password: PASSWORD })).status).toBe(200);
  const exported = await open(cookie, "/admin/exports/orders");
  expect([exported.status, exported.headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
  await exported.text();
});

/** Moves the session's last proof out of the time that the guard allows. */
async function age(sessionId: string): Promise<void> {
  await db
    .update(authSessions)
    .set({ verifiedAt: Date.now() - STEP_UP_MS - 1000 })
    .where(eq(authSessions.id, sessionId));
}

function verifyPage(redirectTo: string): string {
  return `/auth/verify?${new URLSearchParams({ redirectTo })}`;
}

function prove(cookie: string, fields: Record<string, string>): Promise<Response> {
  return post(cookie, "/auth/proof", fields);
}

function open(cookie: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return SELF.fetch(SITE + path, { headers: { Cookie: cookie, ...headers }, redirect: "manual" });
}

function post(cookie: string, path: string, fields: Record<string, string>): Promise<Response> {
  const headers = { Cookie: cookie, ...SAME_SITE };
  return SELF.fetch(SITE + path, { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" });
}
