import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { submitFactorsForm } from "#app/accounts/factors/factors-form.server.ts";
import { pendingTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { recordSecondFactor } from "#app/accounts/session/auth-sessions.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { authSessions, passkeys, totpSecrets, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import {
  type SignedInAccount,
  sessionCookie,
  signedIn,
  startVerifiedSession,
} from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: { ...env, PUBLIC_ORIGIN: ORIGIN } });

test("cannot go on with a session of the password alone once its owner has set up a second factor", async () => {
  const [owner, stranger] = [await signedIn(), await signedIn()];
  const thief = await sessionCookie(owner.userId);
  const verified = await readViewer(requestOf(await sessionCookie(owner.userId)), context);
  if (!verified) throw new Error("not signed in");
  await recordSecondFactor(db, verified, "used");
  await submit(owner, { intent: "start-totp" });
  expect(await readViewer(requestOf(thief), context)).not.toBeNull();
  const setup = await pendingTotpSetup(db, context.env, owner);
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  expect(await submit(owner, { intent: "confirm-totp", code })).toMatchObject({ status: 200 });
  expect(await readViewer(requestOf(thief), context)).toBeNull();
  for (const { userId, sessionId, cookie } of [owner, stranger]) {
    expect(await readViewer(requestOf(cookie), context)).toMatchObject({ userId, sessionId });
  }
  const [running] = await db.select().from(authSessions).where(eq(authSessions.id, verified.sessionId));
  expect(running?.revokedAt).toBeNull();
});

test("keeps sessions while a passkey only replaces the password, and ends them once it is asked for after it", async () => {
  const owner = await signedIn();
  const other = await sessionCookie(owner.userId);
  const id = `key ${owner.userId}`;
  const flags = { signCount: 0, deviceType: "singleDevice", backedUp: false, isSecondFactor: false } as const;
  await db
    .insert(passkeys)
    .values({ id, userId: owner.userId, publicKey: "", transports: "", name: "Key", createdAt: 1, ...flags });
  await submit(owner, { intent: "change-passkey", id, name: "Phone" });
  expect(await readViewer(requestOf(other), context)).not.toBeNull();
  await submit(owner, { intent: "change-passkey", id, name: "Phone", isSecondFactor: "on" });
  expect(await readViewer(requestOf(other), context)).toBeNull();
  expect(await readViewer(requestOf(owner.cookie), context)).not.toBeNull();
});

test("cannot start a session by the password alone if a second factor was added after the log-in read the factors", async () => {
  for (const factor of ["totp", "passkey"]) {
    const { userId } = await newAccount();
    const checked = { userId, passwordHash: "hash" };
    await db.update(users).set({ passwordHash: "hash" }).where(eq(users.id, userId));
    const key = { id: `key ${userId}`, userId, publicKey: "", transports: "", name: "Key", createdAt: 1, signCount: 0 };
    if (factor === "totp") {
      await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1 });
      expect(await startVerifiedSession(db, checked)).not.toBeNull();
      await db.update(totpSecrets).set({ confirmedAt: 1 }).where(eq(totpSecrets.userId, userId));
    } else {
      const flags = { deviceType: "singleDevice", backedUp: false, isSecondFactor: false } as const;
      await db.insert(passkeys).values({ ...key, ...flags });
      expect(await startVerifiedSession(db, checked)).not.toBeNull();
      await db.update(passkeys).set({ isSecondFactor: true }).where(eq(passkeys.userId, userId));
    }
    expect(await startVerifiedSession(db, checked)).toBeNull();
    expect(await startVerifiedSession(db, { ...checked, secondFactorAt: 1 })).not.toBeNull();
  }
});

async function submit(account: SignedInAccount, fields: Record<string, string>) {
  const request = requestOf(account.cookie);
  const viewer = await readViewer(request, context);
  if (!viewer) throw new Error("not signed in");
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return submitFactorsForm({ context, visit: newVisit(), viewer, form, mustKeepOne: false });
}

function requestOf(cookie: string): Request {
  return new Request(`${ORIGIN}/account/two-step`, { headers: { Cookie: cookie } });
}
