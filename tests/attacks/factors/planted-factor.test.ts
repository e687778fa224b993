import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { rememberDevice, voidLaterAlerts } from "#app/accounts/devices/known-devices.server.ts";
import { undoEmailChange } from "#app/accounts/email-address/email-change-undo.server.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { submitFactorsForm } from "#app/accounts/factors/factors-form.server.ts";
import { pendingTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { isAlertToken, rejectLogIn } from "#app/accounts/sign-in/reject-log-in.server.ts";
import { emailChangeUndos, emails, newDeviceAlerts, passwordResets, totpSecrets } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const NONE = { passkeys: [], hasTotp: false, recoveryCodesLeft: 0 };
const context = loadContext({ env: withoutDispatcher(env) });
const access = programAccess(db, env);

test("the owner removes a factor that a thief added on a known device, even after a reset of the password", async () => {
  for (const resetsFirst of [false, true]) {
    const owner = await signedIn();
    await plantTotp(owner);
    const token = await linkTo(owner);
    if (resetsFirst) {
      await reset(owner.userId);
      expect(await factorsOf(db, owner.userId)).toMatchObject({ hasTotp: true });
    }
    expect(await rejectLogIn(context, newVisit(), token, access)).toMatchObject({ ok: true });
    expect(await factorsOf(db, owner.userId)).toEqual(NONE);
    expect(await rejectLogIn(context, newVisit(), token, access)).toEqual({ ok: false });
  }
});

test("the link works for an app whose setup began long before, and against replaced recovery codes", async () => {
  const owner = await signedIn();
  await plantTotp(owner, 30 * 60_000);
  expect(await submit(owner, { intent: "new-codes" })).toMatchObject({ status: 200 });
  expect(await rejectLogIn(context, newVisit(), await linkTo(owner), access)).toMatchObject({ ok: true });
  expect(await factorsOf(db, owner.userId)).toEqual(NONE);
});

test("the thief does not void the link by changing the password on the known device", async () => {
  const owner = await signedIn();
  await db.batch([...rememberDevice(db, owner.userId, "device", Date.now() - DAY_MS)]);
  await plantTotp(owner);
  const token = await linkTo(owner);
  await voidLaterAlerts(db, owner.userId, "device");
  expect(await isAlertToken(db, token)).toBe(true);
});

test("undoing a later change of the address removes a factor that was announced before it", async () => {
  const owner = await signedIn();
  await plantTotp(owner);
  const earlier = Date.now() - 3 * DAY_MS;
  await db.update(newDeviceAlerts).set({ createdAt: earlier }).where(eq(newDeviceAlerts.userId, owner.userId));
  await db
    .update(totpSecrets)
    .set({ createdAt: earlier, confirmedAt: earlier })
    .where(eq(totpSecrets.userId, owner.userId));
  const { token, digest } = makeEmailToken();
  const times = { createdAt: Date.now(), expiresAt: Date.now() + DAY_MS };
  await db
    .insert(emailChangeUndos)
    .values({ tokenDigest: digest, userId: owner.userId, oldEmail: owner.email, ...times });
  expect(await undoEmailChange(context, newVisit(), token, access)).toMatchObject({ ok: true });
  expect(await factorsOf(db, owner.userId)).toEqual(NONE);
});

test("stores no link for a setup that fails", async () => {
  const owner = await signedIn();
  await submit(owner, { intent: "start-totp" });
  expect(await submit(owner, { intent: "confirm-totp", code: "000000" })).toMatchObject({ status: 400 });
  expect(await db.$count(newDeviceAlerts, eq(newDeviceAlerts.userId, owner.userId))).toBe(0);
});

async function plantTotp(owner: SignedInAccount, setupAgeMs = 0): Promise<void> {
  await submit(owner, { intent: "start-totp" });
  const mine = eq(totpSecrets.userId, owner.userId);
  await db
    .update(totpSecrets)
    .set({ createdAt: Date.now() - setupAgeMs })
    .where(mine);
  const setup = await pendingTotpSetup(db, env, owner);
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  expect(await submit(owner, { intent: "confirm-totp", code })).toMatchObject({ status: 200 });
}

async function submit({ cookie }: SignedInAccount, fields: Record<string, string>) {
  const viewer = await readViewer(new Request("https://growline.example", { headers: { Cookie: cookie } }), context);
  if (!viewer) throw new Error("not signed in");
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return submitFactorsForm({ context, visit: newVisit(), viewer, form, mustKeepOne: false });
}

/** Returns the token of the link in the first email about a factor. */
async function linkTo({ userId }: SignedInAccount): Promise<string> {
  const [notice] = await db
    .select()
    .from(emails)
    .where(and(eq(emails.userId, userId), eq(emails.kind, "factor_notice")));
  const { text } = await openContent(env, notice?.id ?? "", notice?.sealedContent ?? "");
  return /\/account\/not-me\?token=([\w-]{43})/.exec(text)?.[1] ?? "";
}

async function reset(userId: string): Promise<void> {
  const { token, digest } = makeEmailToken();
  await db.insert(passwordResets).values({ tokenDigest: digest, userId, expiresAt: Date.now() + DAY_MS });
  expect(await resetPassword(context, newVisit(), { token, password: "another good password" }, access)).toEqual({
    ok: true,
  });
}
