import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { recordAddedFactor } from "#app/accounts/factors/factor-changes.server.ts";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { verifiedHash } from "#app/accounts/password/verified-password.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { recordPasswordProof, STEP_UP_MS } from "#app/accounts/step-up/recent-proof.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { accountDeletions, authSessions, emailChanges, passkeys, users } from "#app/db/schema.server.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import {
  type SignedInAccount,
  sessionCookie,
  signedIn,
  startVerifiedSession,
} from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const NEXT = "another good password";

test("cannot change factors, address or password of an account with an app by a stolen session and the password", async () => {
  const owner = await signedIn();
  const totp = await addApp(owner);
  await age(owner.sessionId);
  const [before] = await db.select().from(users).where(eq(users.id, owner.userId));
  const changes: [path: string, fields: Record<string, string>][] = [
    ["/account/two-step", { intent: "remove-totp" }],
    ["/account/two-step", { intent: "new-codes" }],
    ["/dashboard/account", { intent: "email", newEmail: "thief@test.example", password: PASSWORD }],
    ["/dashboard/account", { intent: "password", current: PASSWORD, next: NEXT }],
    ["/account/delete", { password: PASSWORD }],
  ];
  for (const [path, fields] of changes) {
    const proof = await post(owner, "/auth/proof", { intent: "password", password: PASSWORD });
    expect(proof.status).toBe(400);
    expect(await proof.json()).toMatchObject({ ok: false, message: "Use a passkey or a code instead." });
    const onPage = await post(owner, "/auth/verify", { intent: "password", password: PASSWORD, redirectTo: path });
    expect(onPage.status).toBe(400);
    const changed = await post(owner, path, fields);
    expect([path, changed.status, changed.headers.get("Location")]).toEqual([
      path,
      302,
      `/auth/verify?${new URLSearchParams({ redirectTo: path })}`,
    ]);
  }
  const { status, body } = await putUser(owner);
  expect([status, body]).toMatchObject([400, { error_code: "reauthentication_needed" }]);
  expect(await db.select().from(users).where(eq(users.id, owner.userId))).toEqual([before]);
  expect(await db.select().from(emailChanges).where(eq(emailChanges.userId, owner.userId))).toEqual([]);
  expect(await db.select().from(accountDeletions).where(eq(accountDeletions.userId, owner.userId))).toEqual([]);

  expect((await post(owner, "/auth/proof", { intent: "code", code: totp.generate() })).status).toBe(200);
  expect((await putUser(owner)).status).toBe(200);
});

test("shows no password field where the account has a factor, and one where it has none", async () => {
  const [owner, other] = [await signedIn(), await signedIn()];
  await addApp(owner);
  for (const account of [owner, other]) {
    await age(account.sessionId);
    const headers = { Cookie: account.cookie };
    const page = await (await SELF.fetch(`${SITE}/auth/verify`, { headers })).text();
    const status = await (await SELF.fetch(`${SITE}/auth/proof`, { headers })).json();
    const hasPassword = account === other;
    expect(page.includes('type="password"')).toBe(hasPassword);
    expect(page.includes('name="code"')).toBe(!hasPassword);
    expect(status).toMatchObject({ isRecent: false, methods: { hasPassword, hasCodes: !hasPassword } });
  }
});

test("cannot prove by a log-in with the password alone, where a passkey is not asked for after it", async () => {
  const owner = await signedIn();
  await addPasskey(owner);
  const started = await startVerifiedSession(db, {
    userId: owner.userId,
    passwordHash: (await storedHash(owner.userId)) ?? "",
  });
  const [session] = await db
    .select()
    .from(authSessions)
    .where(eq(authSessions.id, started ?? ""));
  expect(session).toMatchObject({ verifiedAt: 0, secondFactorAt: null });
});

test("cannot prove by a password that was checked before the factor was added", async () => {
  const owner = await signedIn();
  const thief = await sessionCookie(owner.userId);
  const verified = await verifiedHash(db, owner.userId, PASSWORD, unlimitedCaller());
  expect(verified).not.toBeNull();
  await addPasskey(owner);
  await age(owner.sessionId);
  expect(await recordPasswordProof(db, owner, verified ?? "")).toBe(false);

  // Nor by one that another session gave a minute ago.
  const context = loadContext({ env });
  const request = requestOf(owner.cookie);
  const viewer = await readViewer(request, context);
  if (!viewer) throw new Error("not signed in");
  expect(await readViewer(requestOf(thief), context)).toMatchObject({ verifiedAt: expect.any(Number) });
  await recordAddedFactor(
    { context, visit: newVisit(), viewer },
    { factor: { kind: "passkey", name: "Key" }, alert: "" },
  );
  expect(await readViewer(requestOf(thief), context)).toMatchObject({ verifiedAt: 0 });
});

/** Sets up an authenticator app, with a code one step early, so that the present one is still unused. */
async function addApp(owner: SignedInAccount): Promise<TOTP> {
  const setup = await startTotpSetup(db, env, owner);
  const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") });
  expect(await confirmTotp(db, env, owner, totp.generate({ timestamp: Date.now() - 30_000 }))).toBe(true);
  await db.update(authSessions).set({ secondFactorAt: 1 }).where(eq(authSessions.id, owner.sessionId));
  return totp;
}

/** Adds a passkey that replaces the password, and doesn't follow it. */
async function addPasskey({ userId }: SignedInAccount): Promise<void> {
  const flags = { signCount: 0, deviceType: "singleDevice", backedUp: false, isSecondFactor: false } as const;
  await db
    .insert(passkeys)
    .values({ id: `key ${userId}`, userId, publicKey: "", transports: "", name: "Key", createdAt: 1, ...flags });
}

async function storedHash(userId: string): Promise<string | null> {
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  return user?.passwordHash ?? null;
}

async function age(sessionId: string): Promise<void> {
  await db
    .update(authSessions)
    .set({ verifiedAt: Date.now() - STEP_UP_MS - 1000 })
    .where(eq(authSessions.id, sessionId));
}

function post({ cookie }: SignedInAccount, path: string, fields: Record<string, string>): Promise<Response> {
  const headers = { Cookie: cookie, ...SAME_SITE };
  return SELF.fetch(SITE + path, { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" });
}

/** Changes the password as the npm client does. */
async function putUser({ userId, sessionId, email }: SignedInAccount): Promise<{ status: number; body: unknown }> {
  const token = await signAccessToken(env.SESSION_SECRET, { userId, sessionId, email }, Date.now());
  const response = await SELF.fetch(`${SITE}/auth/v1/user`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ password: NEXT, current_password: PASSWORD }),
  });
  return { status: response.status, body: await response.json() };
}

function requestOf(cookie: string): Request {
  return new Request(SITE, { headers: { Cookie: cookie } });
}
