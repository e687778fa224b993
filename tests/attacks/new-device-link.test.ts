import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { isResetToken, resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import type { SignedIn } from "#app/accounts/sign-in/complete-sign-in.server.ts";
import { isAlertToken, rejectLogIn } from "#app/accounts/sign-in/reject-log-in.server.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { connect } from "#app/db/db.server.ts";
import {
  apiKeys,
  emailChanges,
  emails,
  newDeviceAlerts,
  passkeys,
  totpSecrets,
  webhookEndpoints,
} from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { newKey } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { checkCredentials, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const db = connect(env.DB);
const NEXT = "another good password";
const access = programAccess(db, env);
const context = loadContext({ env: withoutDispatcher(env) });

test("ends every session and sets the password aside, once, and for no other account", async () => {
  const { owner, token } = await accountWithThief();
  const other = await accountWithThief();
  await requestEmailChange(context, newVisit(), owner, { newEmail: `x${owner.email}`, password: PASSWORD });
  expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: true });

  expect(await listSessions(db, owner.userId)).toEqual([]);
  expect((await checkCredentials(db, { email: owner.email, password: PASSWORD })).ok).toBe(false);
  expect(await db.select().from(emailChanges).where(eq(emailChanges.userId, owner.userId))).toEqual([]);
  const resetToken = await tokenOf(owner.email, "password_reset");
  expect(await isResetToken(db, resetToken)).toBe(true);

  await resetPassword(context, newVisit(), { token: resetToken, password: NEXT }, access);
  expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: false });
  expect((await checkCredentials(db, { email: owner.email, password: NEXT })).ok).toBe(true);
  expect(await listSessions(db, other.owner.userId)).toHaveLength(2);
  expect((await checkCredentials(db, { email: other.owner.email, password: PASSWORD })).ok).toBe(true);
});

test("revokes the API keys and turns off the webhooks that a thief planted", async () => {
  const { owner, token } = await accountWithThief();
  const other = await accountWithThief();
  for (const { userId } of [owner, other.owner]) {
    await newKey(userId, { name: "planted", scopes: ["order"] });
    await createEndpoint(db, env, await ownerOf(userId), "https://evil.example/hook");
  }
  expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: true });
  const live = and(isNull(apiKeys.revokedAt), inArray(apiKeys.userId, [owner.userId, other.owner.userId]));
  expect(await db.select({ userId: apiKeys.userId }).from(apiKeys).where(live)).toEqual([
    { userId: other.owner.userId },
  ]);
  const on = and(
    isNull(webhookEndpoints.disabledAt),
    inArray(webhookEndpoints.userId, [owner.userId, other.owner.userId]),
  );
  expect(await db.select({ userId: webhookEndpoints.userId }).from(webhookEndpoints).where(on)).toEqual([
    { userId: other.owner.userId },
  ]);
});

test("removes the factors that a thief added, and keeps those that the owner had", async () => {
  const { owner, token } = await accountWithThief();
  const [alert] = await db.select().from(newDeviceAlerts).where(eq(newDeviceAlerts.userId, owner.userId));
  const at = alert?.createdAt ?? 0;
  // The thief's browser is new again after its cookies are gone, so that the last email is about a later log-in.
  await db
    .insert(newDeviceAlerts)
    .values({ tokenDigest: owner.userId, userId: owner.userId, createdAt: at - 1000, expiresAt: at * 2 });
  for (const [id, createdAt] of [
    ["old", at - 2000],
    ["new", at - 500],
  ] as const) {
    await db.insert(passkeys).values(passkey(owner.userId, `${id} ${owner.userId}`, createdAt));
  }
  await db.insert(totpSecrets).values({ userId: owner.userId, sealedSecret: "", createdAt: at - 500, confirmedAt: at });
  const other = await accountWithThief();
  await db.insert(passkeys).values(passkey(other.owner.userId, `new ${other.owner.userId}`, Date.now()));
  expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: true });
  expect(await factorsOf(db, owner.userId)).toMatchObject({ hasTotp: false });
  const left = await db
    .select({ id: passkeys.id })
    .from(passkeys)
    .where(inArray(passkeys.userId, [owner.userId, other.owner.userId]));
  expect(left.map(({ id }) => id).sort()).toEqual([`new ${other.owner.userId}`, `old ${owner.userId}`].sort());
});

test("changes nothing when a link scanner opens the link, or posts another token", async () => {
  const { owner, token } = await accountWithThief();
  const page = await SELF.fetch(`https://growline.example/account/not-me?token=${token}`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Log out every device");
  for (const made of ["", "made-up", token.slice(1)])
    expect(await rejectLogIn(context, newVisit(), made, access)).toMatchObject({ ok: false });
  expect(await listSessions(db, owner.userId)).toHaveLength(2);
  expect(await isAlertToken(db, token)).toBe(true);
});

test("refuses the link after 7 days", async () => {
  const { owner, token } = await accountWithThief();
  await db.update(newDeviceAlerts).set({ expiresAt: Date.now() }).where(eq(newDeviceAlerts.userId, owner.userId));
  expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: false });
});

test("voids the link when its owner changes the password on an earlier device", async () => {
  const { owner, token } = await accountWithThief();
  await changePassword(context, newVisit({ deviceId: owner.deviceId }), owner, { current: PASSWORD, next: NEXT });
  expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: false });
  expect((await checkCredentials(db, { email: owner.email, password: NEXT })).ok).toBe(true);
});

test("keeps the link when the thief changes the password on the new device, or without a device", async () => {
  for (const withDevice of [true, false]) {
    const { owner, thief, token } = await accountWithThief();
    const changed = await changePassword(
      context,
      newVisit({ deviceId: withDevice ? thief.deviceId : null }),
      { ...owner, sessionId: thief.sessionId },
      { current: PASSWORD, next: NEXT },
    );
    expect(changed).toEqual({ ok: true });
    expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: true });
    expect((await checkCredentials(db, { email: owner.email, password: NEXT })).ok).toBe(false);
  }
});

/** Creates an account that has logged in on two devices, the second one announced by an email with the token. */
async function accountWithThief() {
  const { userId, email } = await newAccount();
  const own = await logInFrom(email);
  expect(await tokenOf(email, "new_device")).toBe("");
  const thief = await logInFrom(email);
  const token = await tokenOf(email, "new_device");
  const owner = { userId, email, sessionId: own.sessionId, deviceId: own.deviceId };
  return { owner, thief: { sessionId: thief.sessionId, deviceId: thief.deviceId }, token };
}

function passkey(userId: string, id: string, createdAt: number): typeof passkeys.$inferInsert {
  const rest = {
    publicKey: "",
    signCount: 0,
    deviceType: "singleDevice",
    backedUp: false,
    isSecondFactor: true,
  } as const;
  return { ...rest, id, userId, name: id, createdAt };
}

async function logInFrom(email: string): Promise<SignedIn> {
  const signedIn = await logIn(context, newVisit(), { email, password: PASSWORD });
  if (!signedIn.ok || signedIn.isPending) throw new Error("not signed in");
  return signedIn;
}

/** Returns the token in the queued email of this kind, or "". */
async function tokenOf(recipient: string, kind: "new_device" | "password_reset"): Promise<string> {
  const [queued] = await db
    .select()
    .from(emails)
    .where(and(eq(emails.recipient, recipient), eq(emails.kind, kind)));
  if (!queued?.sealedContent) return "";
  const { text } = await openContent(env, queued.id, queued.sealedContent);
  return /token=([\w-]+)/.exec(text)?.[1] ?? "";
}
