import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { authSessions, passkeys, totpSecrets, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { signedIn, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import {
  hasRecentProof,
  lacksFactorProof,
  recordPasswordProof,
  recordProof,
  requireFactorProof,
  requireRecentProof,
  STEP_UP_MS,
} from "./recent-proof.server.ts";

const request = new Request("https://growline.example/admin/orders/1?tab=refund", { method: "POST" });

test("is satisfied for ten minutes", () => {
  expect(hasRecentProof({ verifiedAt: 0 }, STEP_UP_MS - 1)).toBe(true);
  expect(hasRecentProof({ verifiedAt: 0 }, STEP_UP_MS)).toBe(false);
});

test("redirects to the page that asks, and leads back to the page of the request or to the given one", () => {
  requireRecentProof(request, { verifiedAt: Date.now() });
  expect(locationOf(() => requireRecentProof(request, { verifiedAt: 0 }))).toBe(
    "/auth/verify?redirectTo=%2Fadmin%2Forders%2F1%3Ftab%3Drefund",
  );
  expect(locationOf(() => requireRecentProof(request, { verifiedAt: 0 }, "/dashboard/account"))).toBe(
    "/auth/verify?redirectTo=%2Fdashboard%2Faccount",
  );
});

test("counts the password that another form asks for as a proof, if it is right", async () => {
  const viewer = await signedIn();
  const context = loadContext();
  const changeTo = (password: string) =>
    requestEmailChange(context, newVisit(), viewer, { newEmail: `${crypto.randomUUID()}@test.example`, password });
  await age(viewer.sessionId);
  expect(await changeTo("wrong password")).toMatchObject({ ok: false });
  expect(await isRecent(viewer.sessionId)).toBe(false);
  expect(await changeTo(PASSWORD)).toMatchObject({ ok: true });
  expect(await isRecent(viewer.sessionId)).toBe(true);

  await age(viewer.sessionId);
  const change = { current: PASSWORD, next: "another good password" };
  expect(await changePassword(context, newVisit(), viewer, change)).toMatchObject({ ok: true });
  expect(await isRecent(viewer.sessionId)).toBe(true);
});

test("asks for a recent proof beside a password only where the account has another factor", async () => {
  const [plain, safe, setUp] = [await storedSignIn(), await storedSignIn(), await storedSignIn()];
  await addPasskey(safe.userId);
  await db.insert(totpSecrets).values({ userId: setUp.userId, sealedSecret: "", createdAt: 1 });
  const [old, now] = [0, Date.now()];
  const lacks = (userId: string, verifiedAt: number) => lacksFactorProof(db, { userId, verifiedAt });
  expect([await lacks(plain.userId, old), await lacks(setUp.userId, old), await lacks(plain.userId, now)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([await lacks(safe.userId, old), await lacks(safe.userId, now)]).toEqual([true, false]);
  await requireFactorProof(request, db, { userId: plain.userId, verifiedAt: old });
  await requireFactorProof(request, db, { userId: safe.userId, verifiedAt: now });
  await expect(requireFactorProof(request, db, { userId: safe.userId, verifiedAt: old })).rejects.toMatchObject({
    status: 302,
  });
  expect(STEP_UP_MS).toBe(600_000);
});

test("records a proof by the password in one running session, unless the account has another factor", async () => {
  const [mine, safe, ended, other] = [
    await storedSignIn(),
    await storedSignIn(),
    await storedSignIn(),
    await storedSignIn(),
  ];
  await addPasskey(safe.userId);
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, ended.sessionId));
  for (const { sessionId } of [mine, safe, ended, other]) await age(sessionId);
  const before = Date.now();
  for (const one of [mine, safe, ended]) await recordProof(db, one);
  await recordProof(db, { userId: mine.userId, sessionId: other.sessionId });
  const proven = await Promise.all([mine, safe, ended, other].map(({ sessionId }) => verifiedAt(sessionId)));
  expect(proven.map((at) => at !== undefined && at >= before)).toEqual([true, false, false, false]);
  expect(proven.slice(1)).toEqual([0, 0, 0]);
});

test("records no proof by a password that has changed since it was verified", async () => {
  const [mine, other] = [await storedSignIn(), await storedSignIn("customer", { passwordHash: "another hash" })];
  for (const { sessionId } of [mine, other]) await age(sessionId);
  expect(await recordPasswordProof(db, mine, "another hash")).toBe(false);
  expect(await recordPasswordProof(db, { userId: mine.userId, sessionId: other.sessionId }, "a hash")).toBe(false);
  expect(await Promise.all([mine, other].map(({ sessionId }) => isRecent(sessionId)))).toEqual([false, false]);
  expect(await recordPasswordProof(db, mine, "a hash")).toBe(true);
  expect(await Promise.all([mine, other].map(({ sessionId }) => isRecent(sessionId)))).toEqual([true, false]);
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, mine.userId));
  expect(await recordPasswordProof(db, mine, "a hash")).toBe(false);
});

async function addPasskey(userId: string): Promise<void> {
  const key = { id: crypto.randomUUID(), userId, publicKey: "", signCount: 0, name: "Key", createdAt: 1 };
  await db.insert(passkeys).values({ ...key, deviceType: "singleDevice", backedUp: false, isSecondFactor: false });
}

async function verifiedAt(sessionId: string): Promise<number | undefined> {
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, sessionId));
  return session?.verifiedAt;
}

function locationOf(guard: () => void): string | null {
  try {
    guard();
  } catch (thrown) {
    if (thrown instanceof Response) return thrown.headers.get("Location");
    throw thrown;
  }
  return null;
}

async function age(sessionId: string): Promise<void> {
  await db.update(authSessions).set({ verifiedAt: 0 }).where(eq(authSessions.id, sessionId));
}

async function isRecent(sessionId: string): Promise<boolean> {
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, sessionId));
  return session !== undefined && hasRecentProof(session);
}
