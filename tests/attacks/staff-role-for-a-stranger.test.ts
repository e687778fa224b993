import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, type SQLWrapper } from "drizzle-orm";
import { expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { endSession } from "#app/accounts/session/auth-sessions.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { changeAccess } from "#app/accounts/staff/account-access.server.ts";
import { giveRole } from "#app/accounts/staff/operator-role.server.ts";
import { emailChanges, profiles, totpSecrets, users } from "#app/db/schema.server.ts";
import { hasConfirmedEmail } from "#app/email/confirmed-email.server.ts";
import { endProgramAccess, programAccess } from "#app/orders/program-access.server.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const context = loadContext({ env: withoutDispatcher(env) });

test("cannot become staff by a sign-up with the address of somebody whom an admin then promotes", async () => {
  const admin = await signedIn("admin");
  const viewer = await readViewer(asBrowser(admin.cookie), context);
  if (!viewer) throw new Error("not signed in");
  const { userId } = await newAccount("customer", "Colleague", null);
  const promote = () =>
    changeAccess(
      context,
      new Request("https://growline.example"),
      viewer,
      userId,
      { kind: "role", role: "agent" },
      { reason: "new", once: crypto.randomUUID() },
    );
  expect(await promote()).toEqual({ ok: false, reason: "email_unconfirmed" });
  await db.update(users).set({ emailConfirmedAt: 1 }).where(eq(users.id, userId));
  expect(await promote()).toEqual({ ok: true });
});

test("cannot become staff by a request in flight of an admin whose session has just ended", async () => {
  const admin = await signedIn("admin");
  const { userId } = await newAccount();
  await endSession(db, admin.userId, admin.sessionId);
  const promoted = await changeAccess(
    context,
    new Request("https://growline.example"),
    { ...admin, fullName: "", role: "admin" },
    userId,
    { kind: "role", role: "admin" },
    { reason: "new", once: crypto.randomUUID() },
  );
  expect(promoted).toEqual({ ok: false, reason: "session_ended" });
  expect(await roleOf(userId)).toBe("customer");
});

test("cannot become staff by the operator's command after a sign-up with the operator's address", async () => {
  const planted = await signedIn("customer", "Mallory", null);
  const { userId, email, cookie } = planted;
  expect(await giveRole(db, email, "admin")).toEqual({ ok: false, reason: "email_unconfirmed" });
  expect(await roleOf(userId)).toBe("customer");
  expect(await readViewer(asBrowser(cookie), context)).not.toBeNull();
});

test("ends everything that a stranger planted when the operator vouches for the address", async () => {
  const { userId, email, cookie, sessionId } = await signedIn("customer", "Mallory", null);
  const { key } = await newKey(userId, { name: "planted", scopes: ["order"], isTest: true });
  await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 });
  await db.batch(newRecoveryCodes(db, { userId, sessionId }).statements);
  const pending = { userId, tokenDigest: userId, newEmail: "mallory@evil.example", expiresAt: Date.now() + 60_000 };
  await db.insert(emailChanges).values(pending);
  const vouch = { statements: (owner: SQLWrapper) => endProgramAccess(db, owner) };
  const given = await giveRole(db, email, "admin", vouch);
  if (!given.ok || given.resetToken === null) throw new Error("not set aside");

  expect(await readViewer(asBrowser(cookie), context)).toBeNull();
  expect(await logIn(context, newVisit(), { email, password: PASSWORD })).toMatchObject({ ok: false });
  expect(await factorsOf(db, userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
  expect(await db.$count(emailChanges, eq(emailChanges.userId, userId))).toBe(0);
  const used = await SELF.fetch("https://growline.example/api/balance", {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(used.status).toBe(401);

  const input = { token: given.resetToken, password: "the operator's own words" };
  expect(await resetPassword(context, newVisit(), input, programAccess(db, env))).toEqual({ ok: true });
  expect(await logIn(context, newVisit(), { email, password: input.password })).toMatchObject({ ok: true });
  expect(await roleOf(userId)).toBe("admin");
  expect(await hasConfirmedEmail(db, userId)).toBe(true);
});

test("leaves a confirmed account as it is when the operator vouches for its address", async () => {
  const { userId, email } = await newAccount();
  const vouch = { statements: (owner: SQLWrapper) => endProgramAccess(db, owner) };
  expect(await giveRole(db, email, "agent", vouch)).toEqual({ ok: true, resetToken: null });
  expect(await logIn(context, newVisit(), { email, password: PASSWORD })).toMatchObject({ ok: true });
  const [event] = await listSecurityEvents(db, userId, { limit: 9 }).then((events) =>
    events.filter(({ kind }) => kind === "role_changed"),
  );
  expect(event?.detail).toEqual({ role: "agent" });
});

function asBrowser(cookie: string): Request {
  return new Request("https://growline.example", { headers: { Cookie: cookie } });
}

async function roleOf(userId: string) {
  const [profile] = await db.select({ role: profiles.role }).from(profiles).where(eq(profiles.userId, userId));
  return profile?.role;
}
