import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { profiles, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { cheapHash, hashAsDeployed, hashCheaply, PASSWORD, storedAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { unlimitedCaller } from "./hash-queue.server.ts";
import { hashPassword, isOutdatedHash, SCRYPT, verifyPassword } from "./password-hash.server.ts";
import { batchIfVerified, checkOwnPassword, rehash, verifiedHash } from "./verified-password.server.ts";

const caller = unlimitedCaller();
const { N, r, p } = SCRYPT;
const visit = newVisit();

test("stores a hash with its parameters and a salt of its own", async () => {
  const [one, other] = [await hashPassword("ﬁne", caller), await hashPassword("ﬁne", caller)];
  expect(one).toMatch(/\$[\w+/]{22}==\$[\w+/]{43}=$/);
  expect(other.split("$")[4]).not.toBe(one.split("$")[4]);
  expect(await verifyPassword("Fine", one, caller)).toBe(false);
  hashAsDeployed();
  onTestFinished(hashCheaply);
  expect(isOutdatedHash(one)).toBe(true);
  const deployed = await hashPassword("ﬁne", caller);
  expect(deployed).toMatch(/^scrypt\$16384\$8\$5\$/);
  // Another keyboard's encoding of the same word.
  expect(await verifyPassword("fine", deployed, caller)).toBe(true);
  expect(isOutdatedHash(deployed)).toBe(false);
});

const KEY = Buffer.alloc(32, 1).toString("base64");
const HASHES: [hash: string, isOutdated: boolean][] = [
  [`scrypt$${N}$${r}$${p}$c2FsdA==$${KEY}`, false],
  [`scrypt$${N / 2}$${r}$${p}$c2FsdA==$${KEY}`, true],
  [`scrypt$${N}$${r / 2}$${p}$c2FsdA==$${KEY}`, true],
  [`scrypt$${N}$${r}$${p + 1}$c2FsdA==$${KEY}`, true],
  [`bcrypt$${N}$${r}$${p}$c2FsdA==$${KEY}`, true],
  [`scrypt$${N}$${r}$${p}$$${KEY}`, true],
  [`scrypt$${N}$${r}$${p}$c2FsdA==`, true],
  [`scrypt$${N}$${r}$${p}$c2FsdA==$`, true],
  [`scrypt$${N}$${r}$${p}$c2FsdA==$${Buffer.alloc(31).toString("base64")}`, true],
  ["", true],
];

test.for(HASHES)("tells that the hash %s is outdated: %s", ([hash, isOutdated]) => {
  expect(isOutdatedHash(hash)).toBe(isOutdated);
});

test("accepts no password for a missing, foreign or cut hash", async () => {
  const hash = cheapHash();
  expect(await verifyPassword(PASSWORD, hash, caller)).toBe(true);
  const cut = `${hash.slice(0, hash.lastIndexOf("$") + 1)}${Buffer.alloc(16).toString("base64")}`;
  for (const stored of [null, "", hash.replace("scrypt", "other"), cut]) {
    expect(await verifyPassword(PASSWORD, stored, caller), String(stored)).toBe(false);
  }
});

test("verifies a user's password against their own hash only", async () => {
  const [mine, other, closed] = [cheapHash(), cheapHash("another password"), null];
  const accounts = [];
  for (const passwordHash of [mine, other, closed]) accounts.push(await storedAccount("customer", { passwordHash }));
  const hashes = [];
  for (const { userId } of accounts) hashes.push(await verifiedHash(db, userId, PASSWORD, caller));
  expect(hashes).toEqual([mine, null, null]);
  expect(await verifiedHash(db, "nobody", PASSWORD, caller)).toBeNull();
});

test("replaces the hash that was verified, and returns what is stored if it has changed meanwhile", async () => {
  const verified = cheapHash();
  const [{ userId }, other] = [
    await storedAccount("customer", { passwordHash: verified }),
    await storedAccount("customer", { passwordHash: verified }),
  ];
  const stored = await rehash(db, { userId, password: PASSWORD, verified }, caller);
  expect(stored).not.toBe(verified);
  expect(isOutdatedHash(stored ?? "")).toBe(false);
  expect([await hashOf(userId), await hashOf(other.userId)]).toEqual([stored, verified]);
  // A second log-in, which verified the hash before, gets the new one.
  expect(await rehash(db, { userId, password: PASSWORD, verified }, caller)).toBe(stored);
  await db
    .update(users)
    .set({ passwordHash: cheapHash("a new password") })
    .where(eq(users.id, userId));
  expect(await rehash(db, { userId, password: PASSWORD, verified }, caller)).toBeNull();
  expect(await verifiedHash(db, userId, "a new password", caller)).not.toBeNull();
});

test("runs a batch only while the verified hash is the stored one, and returns its results", async () => {
  const [mine, other] = [await storedAccount(), await storedAccount()];
  const rename = (fullName: string) =>
    db
      .update(profiles)
      .set({ fullName })
      .where(eq(profiles.userId, mine.userId))
      .returning({ name: profiles.fullName });
  const before = await rowsOf(mine.userId);
  expect(await batchIfVerified(db, mine.userId, "an older hash", [rename("Changed")])).toBeNull();
  expect(await rowsOf(mine.userId)).toEqual(before);
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, other.userId));
  expect(await batchIfVerified(db, mine.userId, "a hash", [rename("Ada")])).toEqual([[{ name: "Ada" }]]);
  expect(await rowsOf(mine.userId)).toEqual({
    user: { ...before.user, updatedAt: expect.any(Number) },
    profile: { ...before.profile, fullName: "Ada" },
  });
  expect(await batchIfVerified(db, other.userId, "a hash", [rename("Changed")])).toBeNull();
  const taken = db.insert(users).values({ id: mine.userId, email: "x", createdAt: 1 });
  await expect(batchIfVerified(db, mine.userId, "a hash", [taken])).rejects.toThrow();
});

test("checks the password of an action ten times in a session, and tells the owner what was denied", async () => {
  const passwordHash = cheapHash();
  const { userId } = await storedAccount("customer", { passwordHash });
  const work: Promise<unknown>[] = [];
  const context = loadContext({ env: withoutDispatcher(env), waitUntil: (one) => void work.push(one) });
  const [owner, otherSession] = [
    { userId, sessionId: crypto.randomUUID() },
    { userId, sessionId: crypto.randomUUID() },
  ];
  const check = (password: string, who = owner) => checkOwnPassword(context, visit, who, "change_email", password);
  for (let at = 0; at < 9; at++) expect(await check("wrong")).toEqual({ ok: false, reason: "wrong_password" });
  expect(await check(PASSWORD)).toMatchObject({ ok: true, passwordHash, hashing: { isAdmitted: true } });
  for (let at = 0; at < 10; at++) expect(await check("wrong")).toMatchObject({ reason: "wrong_password" });
  expect(await check(PASSWORD)).toMatchObject({ ok: false, reason: "too_many", status: 429 });
  expect(await check(PASSWORD, otherSession)).toMatchObject({ ok: true });
  await Promise.all(work);
  const events = await listSecurityEvents(db, userId, { limit: 40 });
  expect(events).toHaveLength(20);
  expect(events).toContainEqual(expect.objectContaining({ kind: "limited" }));
  expect(events).toContainEqual(expect.objectContaining({ kind: "denied", detail: { action: "change_email" } }));
});

async function hashOf(userId: string): Promise<string | null | undefined> {
  return (await rowsOf(userId)).user?.passwordHash;
}

async function rowsOf(userId: string) {
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  return { user, profile };
}
