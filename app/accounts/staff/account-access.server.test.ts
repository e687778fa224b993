import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { userDigest } from "#app/crypto/user-digest.server.ts";
import { connect } from "#app/db/db.server.ts";
import { auditLog, authSessions, emails, passkeys, profiles, totpSecrets, users } from "#app/db/schema.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { newKey } from "#tests/workerd/customer.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { inSession, sessionCookie, signedIn, tokensOf } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { changeAccess } from "./account-access.server.ts";

const ORIGIN = "https://growline.example";
const db = connect(env.DB);
const SUSPENDED = "This account is suspended. Contact support.";
const CHANGES: Record<string, string>[] = [
  { change: "end_sessions" },
  { change: "suspend" },
  { change: "reactivate" },
  { change: "role", role: "admin" },
  { change: "remove_factors" },
  { change: "send_setup_link" },
];

test("refuses every change to customers and visitors, whoever the account is", async () => {
  const [customer, other] = [await signedIn(), await signedIn()];
  for (const fields of CHANGES) {
    for (const target of [customer.userId, other.userId]) {
      expect((await submit(customer.cookie, target, fields)).status).toBe(404);
      const response = await submit("", target, fields);
      expect([response.status, response.headers.get("Location")]).toEqual([
        302,
        expect.stringMatching(/^\/auth\/login/),
      ]);
    }
  }
  await expectUntouched([customer.userId, other.userId]);
  expect(await listSessions(db, other.userId)).toHaveLength(1);
});

test("lets an agent log out and suspend customers only, and change no role", async () => {
  const [agent, colleague, admin] = [await signedIn("agent"), await signedIn("agent"), await signedIn("admin")];
  const customer = await signedIn();
  for (const fields of CHANGES) {
    for (const { userId } of [agent, colleague, admin]) {
      expect((await submit(agent.cookie, userId, fields)).status, fields.change).toBe(403);
    }
  }
  expect((await submit(agent.cookie, customer.userId, { change: "role", role: "agent" })).status).toBe(403);
  await addFactors(customer.userId);
  expect((await submit(agent.cookie, customer.userId, { change: "remove_factors" })).status).toBe(403);
  expect(await factorsOf(db, customer.userId)).toMatchObject({ hasTotp: true, passkeys: [{ name: "Key" }] });
  await expectUntouched([agent.userId, colleague.userId, admin.userId, customer.userId]);
  expect((await submit(agent.cookie, customer.userId, { change: "end_sessions" })).status).toBe(302);
  expect(await listSessions(db, customer.userId)).toEqual([]);
});

test("refuses an admin's change of their own access", async () => {
  const admin = await signedIn("admin");
  for (const fields of [...CHANGES, { change: "role", role: "customer" }]) {
    expect((await submit(admin.cookie, admin.userId, fields)).status).toBe(403);
  }
  await expectUntouched([admin.userId]);
});

test("keeps one of two admins who demote each other at once", async () => {
  const [one, other] = [await signedIn("admin"), await signedIn("admin")];
  // Both requests were let in before either change.
  const demote = (actor: typeof one, target: typeof one) =>
    changeAccess(
      loadContext(),
      new Request(ORIGIN),
      { ...actor, fullName: "", role: "admin" },
      target.userId,
      { kind: "role", role: "customer" },
      { reason: "A good reason", once: crypto.randomUUID() },
    );
  const results = await Promise.all([demote(one, other), demote(other, one)]);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  const roles = await Promise.all([roleOf(one.userId), roleOf(other.userId)]);
  expect(roles.sort()).toEqual(["admin", "customer"]);
});

test("suspends an account: log-in, sessions, tokens and API keys end, and come back with reactivation", async () => {
  const admin = await signedIn("admin", "Bo Admin");
  const { userId, email } = await newAccount();
  const { key } = await newKey(userId, { name: "main", scopes: ["read"] });
  const cookie = await sessionCookie(userId);
  const tokens = await tokensOf(cookie);
  expect(await balance(key)).toMatchObject({ currency: "USD" });

  expect((await submit(admin.cookie, userId, { change: "suspend", reason: "Charged back twice" })).status).toBe(302);

  const refused = await grant("password", { email, password: PASSWORD });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error_code: "user_banned", msg: SUSPENDED });
  // Without the password, the account looks like any other.
  const guessed = await grant("password", { email, password: "not the password" });
  expect(await guessed.json()).toMatchObject({ error_code: "invalid_credentials" });
  expect(await (await logIn(email)).text()).toContain(SUSPENDED);
  expect((await grant("refresh_token", { refresh_token: tokens.refresh_token })).status).toBe(400);
  expect((await SELF.fetch(`${ORIGIN}/dashboard`, { headers: { Cookie: cookie }, redirect: "manual" })).status).toBe(
    302,
  );
  expect(await balance(key)).toEqual({ error: "Invalid API key" });
  expect(await entries(userId)).toMatchObject([
    {
      action: "customer.suspend",
      actorId: admin.userId,
      actorName: "Bo Admin",
      detail: { reason: "Charged back twice" },
    },
  ]);
  expect((await submit(admin.cookie, userId, { change: "suspend" })).status).toBe(409);

  expect((await submit(admin.cookie, userId, { change: "reactivate" })).status).toBe(302);
  expect((await grant("password", { email, password: PASSWORD })).status).toBe(200);
  expect(await balance(key)).toMatchObject({ currency: "USD" });
  // The sessions from before stay ended.
  expect((await SELF.fetch(`${ORIGIN}/dashboard`, { headers: { Cookie: cookie }, redirect: "manual" })).status).toBe(
    302,
  );
  const events = await listSecurityEvents(db, userId, { limit: 20 });
  expect(events.map(({ kind, network }) => [kind, network])).toEqual(
    expect.arrayContaining([
      ["suspended", null],
      ["reactivated", null],
    ]),
  );
});

test("starts no session for an account that is suspended while its password is checked", async () => {
  const admin = await signedIn("admin");
  const { userId, email } = await newAccount();
  const [, ...grants] = await Promise.all([
    submit(admin.cookie, userId, { change: "suspend" }),
    ...Array.from({ length: atScale(2, 6) }, () => grant("password", { email, password: PASSWORD })),
  ]);
  for (const response of grants) await response.body?.cancel();
  expect(await listSessions(db, userId)).toEqual([]);
});

test("changes a role once, with an audit entry, and logs the account out", async () => {
  const [admin, customer] = [await signedIn("admin"), await signedIn()];
  const fields = { change: "role", role: "agent", once: crypto.randomUUID() };
  expect((await submit(admin.cookie, customer.userId, fields)).status).toBe(302);
  expect(await roleOf(customer.userId)).toBe("agent");
  expect(await listSessions(db, customer.userId)).toEqual([]);
  expect((await submit(admin.cookie, customer.userId, { ...fields, role: "customer" })).status).toBe(409);
  expect(await roleOf(customer.userId)).toBe("agent");
  expect(await entries(customer.userId)).toMatchObject([
    { action: "customer.role", detail: { role: ["customer", "agent"], reason: "A good reason" } },
  ]);
  expect((await submit(admin.cookie, customer.userId, { change: "role", role: "owner" })).status).toBe(400);
  expect((await submit(admin.cookie, customer.userId, { change: "suspend", reason: "" })).status).toBe(400);
});

test("removes all second factors once, ends the sessions and emails the owner", async () => {
  const [admin, colleague, customer] = [await signedIn("admin"), await signedIn("admin"), await signedIn()];
  for (const { userId, email } of [colleague, customer]) {
    expect((await submit(admin.cookie, userId, { change: "remove_factors" })).status).toBe(409);
    await addFactors(userId);
    const bystander = await newAccount();
    await addFactors(bystander.userId);
    const fields = { change: "remove_factors", reason: "Lost the phone", once: crypto.randomUUID() };
    expect((await submit(admin.cookie, userId, { ...fields, reason: "" })).status).toBe(400);
    expect((await submit(admin.cookie, userId, fields)).status).toBe(302);
    expect(await factorsOf(db, userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
    expect(await factorsOf(db, bystander.userId)).toMatchObject({ hasTotp: true, recoveryCodesLeft: 10 });
    expect(await listSessions(db, userId)).toEqual([]);
    expect(await entries(userId)).toMatchObject([
      { action: "customer.remove_factors", actorId: admin.userId, detail: { reason: "Lost the phone" } },
    ]);
    const [event] = await listSecurityEvents(db, userId, { limit: 1 });
    expect(event).toMatchObject({ kind: "factor_removed", detail: { by: "support" } });
    const [notice] = await db.select().from(emails).where(eq(emails.userId, userId));
    expect(notice).toMatchObject({ kind: "factor_notice", recipient: email });
    await addFactors(userId);
    expect((await submit(admin.cookie, userId, fields)).status).toBe(409);
    expect(await factorsOf(db, userId)).toMatchObject({ hasTotp: true });
  }
});

test("asks for a recent proof before it removes second factors", async () => {
  const [admin, customer] = [await signedIn("admin"), await signedIn()];
  await addFactors(customer.userId);
  await db.update(authSessions).set({ verifiedAt: 1 }).where(eq(authSessions.id, admin.sessionId));
  const response = await submit(admin.cookie, customer.userId, { change: "remove_factors" });
  expect([response.status, response.headers.get("Location")]).toEqual([302, expect.stringMatching(/^\/auth\/verify/)]);
  expect(await factorsOf(db, customer.userId)).toMatchObject({ hasTotp: true, recoveryCodesLeft: 10 });
});

test("shows an agent the access of a customer, and neither transactions nor the balance form", async () => {
  const agent = await signedIn("agent");
  const { userId } = await newAccount();
  const page = await (
    await SELF.fetch(`${ORIGIN}/admin/customers/${userId}`, { headers: { Cookie: agent.cookie } })
  ).text();
  expect(page).toContain("Suspend account");
  expect(page).not.toMatch(/Change role|Remove two-step login|Adjust balance|Transactions/);
  const adjusted = await post(`/admin/customers/${userId}`, agent.cookie, {
    intent: "adjust",
    direction: "credit",
    amount: "5",
    reason: "A good reason",
    once: crypto.randomUUID(),
  });
  expect(adjusted.status).toBe(404);
});

test("shows staff how the log names a customer", async () => {
  const agent = await signedIn("agent");
  const { userId } = await newAccount();
  const page = await SELF.fetch(`${ORIGIN}/admin/customers/${userId}`, { headers: { Cookie: agent.cookie } });
  expect(await page.text()).toContain(`>${userDigest(env.SESSION_SECRET, userId)}</code>`);
});

function submit(cookie: string, userId: string, fields: Record<string, string>): Promise<Response> {
  const form = { intent: "access", reason: "A good reason", once: crypto.randomUUID(), ...fields };
  return post(`/admin/customers/${userId}`, cookie, form);
}

function post(path: string, cookie: string, fields: Record<string, string>): Promise<Response> {
  return SELF.fetch(ORIGIN + path, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
}

function logIn(email: string): Promise<Response> {
  return post("/auth/login", "", { email, password: PASSWORD });
}

function grant(type: string, body: object): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/auth/v1/token?grant_type=${type}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function balance(key: string): Promise<unknown> {
  const body = new URLSearchParams({ key, action: "balance" });
  return (await SELF.fetch(`${ORIGIN}/api/v2`, { method: "POST", body })).json();
}

/** Stores a passkey, an authenticator app and recovery codes. */
async function addFactors(userId: string): Promise<void> {
  const passkey = { id: crypto.randomUUID(), userId, publicKey: "", signCount: 0, name: "Key", createdAt: 1 };
  await inSession(userId, (owner) =>
    db.batch([
      db.insert(passkeys).values({ ...passkey, deviceType: "singleDevice", backedUp: false, isSecondFactor: true }),
      db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 }),
      ...newRecoveryCodes(db, owner).statements,
    ]),
  );
}

async function roleOf(userId: string): Promise<string | undefined> {
  const [row] = await db.select({ role: profiles.role }).from(profiles).where(eq(profiles.userId, userId));
  return row?.role;
}

function entries(userId: string) {
  return db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId)));
}

async function expectUntouched(userIds: string[]): Promise<void> {
  for (const userId of userIds) {
    expect(await entries(userId)).toEqual([]);
    const [account] = await db.select().from(users).where(eq(users.id, userId));
    expect(account?.suspendedAt).toBeNull();
  }
}
