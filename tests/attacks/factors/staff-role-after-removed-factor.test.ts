import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { undoEmailChange } from "#app/accounts/email-address/email-change-undo.server.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { rejectLogIn } from "#app/accounts/sign-in/reject-log-in.server.ts";
import {
  emailChangeUndos,
  emails,
  newDeviceAlerts,
  passkeys,
  passwordResets,
  profiles,
  type Role,
  totpSecrets,
} from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const context = loadContext({ env: withoutDispatcher(env) });
const visit = newVisit();
const access = programAccess(db, env);

/** Follows a link that was emailed a day ago. Each is one that removes factors. */
const LINKS = {
  "not me": async (userId: string) => {
    const { token, digest } = makeEmailToken();
    const createdAt = Date.now() - DAY_MS;
    await db.insert(newDeviceAlerts).values({ tokenDigest: digest, userId, createdAt, expiresAt: Date.now() + DAY_MS });
    expect(await rejectLogIn(context, visit, token, access)).toMatchObject({ ok: true });
  },
  undo: async (userId: string, email: string) => {
    const { token, digest } = makeEmailToken();
    const times = { createdAt: Date.now() - DAY_MS, expiresAt: Date.now() + DAY_MS };
    await db.insert(emailChangeUndos).values({ tokenDigest: digest, userId, oldEmail: email, ...times });
    expect(await undoEmailChange(context, visit, token, access)).toMatchObject({ ok: true });
  },
  "reset of an unconfirmed address": async (userId: string) => {
    const { token, digest } = makeEmailToken();
    await db.insert(passwordResets).values({ tokenDigest: digest, userId, expiresAt: Date.now() + DAY_MS });
    const reset = await resetPassword(context, visit, { token, password: "another good password" }, access);
    expect(reset).toEqual({ ok: true });
  },
};

for (const [name, follow] of Object.entries(LINKS)) {
  test(`takes the role of staff whose second factor an emailed link removes: ${name}`, async () => {
    for (const [role, add] of [
      ["admin", addTotp],
      ["agent", addPasskey],
    ] as const) {
      const { userId, email } = await newStaff(role, name);
      await add(userId);
      await startSession(db, { userId });
      await follow(userId, email);
      expect(await factorsOf(db, userId)).toMatchObject({ passkeys: [], hasTotp: false });
      expect(await roleOf(userId)).toBe("customer");
      expect(await listSessions(db, userId)).toEqual([]);
      const events = await listSecurityEvents(db, userId, { limit: 10 });
      expect(events.filter(({ kind }) => kind === "role_changed")).toMatchObject([{ detail: { role: "customer" } }]);
      const notices = and(eq(emails.userId, userId), eq(emails.kind, "factor_notice"));
      expect(await db.select({ to: emails.recipient }).from(emails).where(notices)).toEqual([{ to: email }]);
    }
  });

  test(`keeps the role of staff who lose no factor: ${name}`, async () => {
    const { userId, email } = await newStaff("admin", name);
    const bystander = await newAccount("admin");
    await addTotp(bystander.userId);
    if (!name.startsWith("reset")) await addPasskey(userId, Date.now() - 9 * DAY_MS);
    await follow(userId, email);
    expect([await roleOf(userId), await roleOf(bystander.userId)]).toEqual(["admin", "admin"]);
    const events = await listSecurityEvents(db, userId, { limit: 10 });
    expect(events.filter(({ kind }) => kind === "role_changed")).toEqual([]);
    expect(await db.$count(emails, and(eq(emails.userId, userId), eq(emails.kind, "factor_notice")))).toBe(0);
  });
}

test("removes the unfinished setup of an authenticator app too, whose secret somebody else may know", async () => {
  const { userId, email } = await newAccount();
  const values = { userId, sealedSecret: "", createdAt: Date.now() - 9 * DAY_MS };
  await db.insert(totpSecrets).values(values);
  await LINKS["not me"](userId);
  expect(await db.$count(totpSecrets, eq(totpSecrets.userId, userId))).toBe(0);
  await db.insert(totpSecrets).values(values);
  await LINKS.undo(userId, email);
  expect(await db.$count(totpSecrets, eq(totpSecrets.userId, userId))).toBe(0);
});

function newStaff(role: Role, link: string) {
  return newAccount(role, "Staff", link.startsWith("reset") ? null : 1);
}

async function addTotp(userId: string): Promise<void> {
  const now = Date.now();
  await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: now, confirmedAt: now });
}

async function addPasskey(userId: string, createdAt = Date.now()): Promise<void> {
  const passkey = { id: crypto.randomUUID(), userId, publicKey: "", signCount: 0, name: "Key", createdAt };
  await db.insert(passkeys).values({ ...passkey, deviceType: "singleDevice", backedUp: false, isSecondFactor: true });
}

async function roleOf(userId: string): Promise<string | undefined> {
  const [row] = await db.select({ role: profiles.role }).from(profiles).where(eq(profiles.userId, userId));
  return row?.role;
}
