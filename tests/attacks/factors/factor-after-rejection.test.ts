import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { startFactorAlert } from "#app/accounts/devices/factor-alert.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { submitFactorsForm } from "#app/accounts/factors/factors-form.server.ts";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { pendingTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { endSession } from "#app/accounts/session/auth-sessions.server.ts";
import { readViewer, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { rejectLogIn } from "#app/accounts/sign-in/reject-log-in.server.ts";
import { totpSecrets } from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

/**
 * A thief who keeps adding and removing a factor has a request in flight when the owner rejects them: it has read its
 * session, and stores the factor after the link has removed what was there.
 */

const ORIGIN = "https://growline.example";
const context = loadContext({ env: withoutDispatcher({ ...env, PUBLIC_ORIGIN: ORIGIN }) });
const NONE = { passkeys: [], hasTotp: false, recoveryCodesLeft: 0 };

test("cannot add a passkey in a session that the owner has just ended", async () => {
  const viewer = await thief();
  const { browser } = await browserOf(env, newVisit());
  const { options, challengeId } = await registrationOptions(context, newVisit(), viewer, browser);
  const authenticator = await SoftwareAuthenticator.create();
  const credential = JSON.stringify(await authenticator.register(options, { origin: ORIGIN }));
  await reject(viewer);
  const added = await submit(viewer, { intent: "passkey", name: "Theirs", challengeId, credential }, browser);
  expect(added).toMatchObject({ kind: "shown", status: 400 });
  expect(await factorsOf(db, viewer.userId)).toEqual(NONE);
});

test("cannot confirm or prepare an app in a session that the owner has just ended", async () => {
  const viewer = await thief();
  await reject(viewer);
  await submit(viewer, { intent: "start-totp" });
  expect(await pendingTotpSetup(db, env, viewer)).toBeNull();

  const other = await thief();
  await submit(other, { intent: "start-totp" });
  const setup = await pendingTotpSetup(db, env, other);
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  await endSession(db, other.userId, other.sessionId);
  expect(await submit(other, { intent: "confirm-totp", code })).toMatchObject({ kind: "shown", status: 400 });
  expect(await factorsOf(db, other.userId)).toEqual(NONE);
});

test("cannot keep new recovery codes from a session that the owner has just ended", async () => {
  const viewer = await thief();
  // The owner's, from before: the link keeps it, and so codes would be of use.
  await db.insert(totpSecrets).values({ userId: viewer.userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 });
  await reject(viewer);
  expect(await submit(viewer, { intent: "new-codes" })).toMatchObject({ kind: "shown", status: 401 });
  expect(await factorsOf(db, viewer.userId)).toEqual({ ...NONE, hasTotp: true });
});

async function thief(): Promise<Viewer> {
  const { cookie } = await signedIn();
  const viewer = await readViewer(new Request(ORIGIN, { headers: { Cookie: cookie } }), context);
  if (!viewer) throw new Error("not signed in");
  return viewer;
}

/** Follows the link of an email about an earlier factor. */
async function reject({ userId }: Viewer): Promise<void> {
  const token = await startFactorAlert(db, userId);
  expect(await rejectLogIn(context, newVisit(), token, programAccess(db, env))).toMatchObject({ ok: true });
}

function submit(viewer: Viewer, fields: Record<string, string>, passkeyBrowser = "") {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return submitFactorsForm({ context, visit: newVisit({ passkeyBrowser }), viewer, form, mustKeepOne: false });
}
