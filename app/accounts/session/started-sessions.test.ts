import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { SESSION_MS } from "#app/accounts/visit/visit.server.ts";
import { connect } from "#app/db/db.server.ts";
import { authSessions, passkeys, type Role, totpSecrets } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { storedAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import {
  startPasskeySession,
  startSession,
  startVerifiedSession,
  storedSignIn,
} from "#tests/workerd/signed-in-account.ts";

import {
  endSession,
  endSessions,
  endsUnused,
  forgetPasswordProofs,
  IDLE_MS,
  isRunning,
  listSessions,
  recordSecondFactor,
  STAFF_IDLE_MS,
  STAFF_SESSION_MS,
} from "./auth-sessions.server.ts";

const db = connect(env.DB);
const visit = newVisit({ userAgent: "A browser" });
type Row = typeof authSessions.$inferSelect;

test("stores a session that starts now, in use, proven and without a second factor", async () => {
  const { userId } = await storedAccount();
  const before = Date.now();
  const row = await rowOf(await startSession(db, { userId, visit }));
  expect(row).toEqual(freshRow(row, userId));
  expect(row.createdAt).toBeGreaterThanOrEqual(before);
  expect(row.createdAt).toBeLessThanOrEqual(Date.now());
});

test("keeps the first 300 characters of the browser's name, and none of a request without one", async () => {
  const { userId } = await storedAccount();
  const named = async (name: string) => {
    const start = { userId, visit: newVisit({ userAgent: name }) };
    const ids = [await startSession(db, start), await startVerifiedSession(db, { ...start, passwordHash: "a hash" })];
    return Promise.all(ids.map(async (id) => (await rowOf(id)).userAgent));
  };
  expect(await named("x".repeat(301))).toEqual(["x".repeat(300), "x".repeat(300)]);
  expect(await named("")).toEqual(["", ""]);
});

const NO_FACTOR = { secondFactorAt: null, isProven: true };
const OF_A_PASSWORD: [
  state: string,
  Parameters<typeof addFactor>[1][],
  { secondFactorAt: null; isProven: boolean } | null,
][] = [
  ["no factor", [], NO_FACTOR],
  ["an app that is not set up yet", ["unconfirmed app"], NO_FACTOR],
  ["a passkey that isn't asked for after the password", ["passkey"], { secondFactorAt: null, isProven: false }],
  ["a passkey that is asked for", ["second passkey"], null],
  ["an authenticator app", ["app"], null],
];

test.for(OF_A_PASSWORD)("decides by the factors whether the password alone starts a session, with %s", async (row) => {
  const [, factors, expected] = row;
  const [{ userId }, other] = [await storedAccount(), await storedAccount()];
  await addFactor(other.userId, "app");
  await addFactor(other.userId, "second passkey");
  for (const factor of factors) await addFactor(userId, factor);
  const id = await startVerifiedSession(db, { userId, passwordHash: "a hash", visit });
  expect(id === null).toBe(expected === null);
  if (id === null || expected === null) return expect(await listSessions(db, userId)).toEqual([]);
  const started = await rowOf(id);
  expect(started).toEqual({ ...freshRow(started, userId), verifiedAt: expected.isProven ? started.createdAt : 0 });
});

test("starts a session by a password and a second factor, proven by both", async () => {
  const { userId } = await storedAccount();
  await addFactor(userId, "app");
  const id = await startVerifiedSession(db, { userId, passwordHash: "a hash", visit, secondFactorAt: 5 });
  const started = await rowOf(id);
  expect(started).toEqual({ ...freshRow(started, userId), secondFactorAt: 5 });
});

test("starts no session for a password that is not the stored one any more", async () => {
  const { userId } = await storedAccount();
  for (const start of [{}, { secondFactorAt: 5 }]) {
    const stale = { userId, passwordHash: "an older hash", visit, ...start };
    expect(await startVerifiedSession(db, stale)).toBeNull();
  }
  expect(await listSessions(db, userId)).toEqual([]);
});

test("starts a session by the account's own passkey, unless the account is closed", async () => {
  const [owner, other, closed] = [
    await storedAccount(),
    await storedAccount(),
    await storedAccount("customer", { passwordHash: null }),
  ];
  const [passkeyId, closedKey] = [await addFactor(owner.userId, "passkey"), await addFactor(closed.userId, "passkey")];
  const start = (userId: string, id: string) =>
    startPasskeySession(db, { userId, passkeyId: id, visit, secondFactorAt: 5 });
  const started = await rowOf(await start(owner.userId, passkeyId));
  expect(started).toEqual({ ...freshRow(started, owner.userId), secondFactorAt: 5 });
  expect(await start(owner.userId, "removed")).toBeNull();
  expect(await start(other.userId, passkeyId)).toBeNull();
  expect(await start(closed.userId, closedKey)).toBeNull();
});

test("records a second factor in its running session alone, and a proof only if it was used", async () => {
  const [mine, other] = [await storedSignIn(), await storedSignIn()];
  const second = await rowOf(await startSession(db, { userId: mine.userId, visit }));
  const before = await rowOf(mine.sessionId);
  await recordSecondFactor(db, mine, "added", before.createdAt + 7);
  expect(await rowOf(mine.sessionId)).toEqual({ ...before, secondFactorAt: before.createdAt + 7 });
  await recordSecondFactor(db, mine, "used", before.createdAt + 8);
  const at = before.createdAt + 8;
  expect(await rowOf(mine.sessionId)).toEqual({ ...before, secondFactorAt: at, verifiedAt: at });
  expect(await rowOf(second.id)).toEqual(second);
  const others = await rowOf(other.sessionId);
  await recordSecondFactor(db, { userId: mine.userId, sessionId: other.sessionId }, "used");
  expect(await rowOf(other.sessionId)).toEqual(others);
  await endSession(db, other.userId, other.sessionId);
  await recordSecondFactor(db, other, "used");
  expect(await rowOf(other.sessionId)).toMatchObject({ secondFactorAt: null, verifiedAt: others.verifiedAt });
});

test("ends the proofs of the account's other sessions that a password alone started", async () => {
  const [mine, stranger] = [await storedSignIn(), await storedSignIn()];
  const { userId } = mine;
  const alone = await startSession(db, { userId, visit });
  const byBoth = await startSession(db, { userId, visit, secondFactorAt: 5 });
  const before = await Promise.all([mine.sessionId, byBoth, stranger.sessionId].map(rowOf));
  await forgetPasswordProofs(db, mine);
  expect((await rowOf(alone)).verifiedAt).toBe(0);
  expect(await Promise.all([mine.sessionId, byBoth, stranger.sessionId].map(rowOf))).toEqual(before);
});

const NOW = Date.now();
const RUNS: [role: Role, changes: Partial<Row>, runs: boolean][] = [
  ["customer", {}, true],
  ["customer", { expiresAt: NOW }, false],
  ["customer", { expiresAt: NOW + 1 }, true],
  ["customer", { revokedAt: NOW }, false],
  ["customer", { createdAt: 1, lastUsedAt: NOW - IDLE_MS }, false],
  ["customer", { createdAt: 1, lastUsedAt: NOW - IDLE_MS + 1 }, true],
  ["agent", { createdAt: NOW - STAFF_SESSION_MS + 1 }, true],
  ["agent", { createdAt: NOW - STAFF_SESSION_MS }, false],
  ["admin", { lastUsedAt: NOW - STAFF_IDLE_MS + 1 }, true],
  ["admin", { lastUsedAt: NOW - STAFF_IDLE_MS }, false],
];

test.for(RUNS)("tells whether the session of a %s with %o runs: %s", async ([role, changes, runs]) => {
  const { sessionId } = await storedSignIn(role);
  const times = { createdAt: NOW, lastUsedAt: NOW, expiresAt: NOW + SESSION_MS };
  await db
    .update(authSessions)
    .set({ ...times, ...changes })
    .where(eq(authSessions.id, sessionId));
  const running = await db.select().from(authSessions).where(isRunning(NOW));
  expect(running.some(({ id }) => id === sessionId)).toBe(runs);
});

test("lasts thirty days, fourteen of them unused, and a day for staff, half of it unused", () => {
  expect([SESSION_MS, IDLE_MS, STAFF_SESSION_MS, STAFF_IDLE_MS]).toEqual([
    30 * DAY_MS,
    14 * DAY_MS,
    DAY_MS,
    DAY_MS / 2,
  ]);
});

const ENDS: [role: Role, times: Pick<Row, "createdAt" | "lastUsedAt" | "expiresAt">, end: number][] = [
  ["customer", { createdAt: 1, lastUsedAt: 5, expiresAt: SESSION_MS }, 5 + IDLE_MS],
  ["customer", { createdAt: 1, lastUsedAt: 5, expiresAt: 9 }, 9],
  ["agent", { createdAt: 1, lastUsedAt: 5, expiresAt: SESSION_MS }, 5 + STAFF_IDLE_MS],
  ["admin", { createdAt: 1, lastUsedAt: DAY_MS - 1, expiresAt: SESSION_MS }, 1 + STAFF_SESSION_MS],
  ["admin", { createdAt: 1, lastUsedAt: 5, expiresAt: 9 }, 9],
];

test.for(ENDS)("tells when the session of a %s with %o ends if it isn't used again", async ([role, times, end]) => {
  const { sessionId } = await storedSignIn(role);
  await db.update(authSessions).set(times).where(eq(authSessions.id, sessionId));
  expect(await db.select({ end: endsUnused() }).from(authSessions).where(eq(authSessions.id, sessionId))).toEqual([
    { end },
  ]);
});

test("lists an account's running sessions, most recently used first", async () => {
  const [mine, other] = [await storedSignIn(), await storedSignIn()];
  const { userId } = mine;
  const later = await startSession(db, { userId, visit });
  const ended = await startSession(db, { userId, visit });
  await endSession(db, userId, ended);
  const used = (await rowOf(later)).lastUsedAt + 5;
  await db.update(authSessions).set({ lastUsedAt: used }).where(eq(authSessions.id, mine.sessionId));
  const { createdAt, lastUsedAt } = await rowOf(later);
  expect(await listSessions(db, userId)).toEqual([
    expect.objectContaining({ id: mine.sessionId, lastUsedAt: used }),
    { id: later, userAgent: "A browser", createdAt, lastUsedAt },
  ]);
  expect(await listSessions(db, other.userId)).toHaveLength(1);
});

test("ends all sessions of an account or all but one, and notes that the worker has sockets to close", async () => {
  const [mine, other] = [await storedSignIn(), await storedSignIn()];
  const { userId, sessionId } = mine;
  const connected = connect(env.DB);
  expect(connected.endsSessions).toBeUndefined();
  await startSession(db, { userId, visit });
  await endSessions(connected, userId, sessionId);
  expect(connected.endsSessions).toBe(true);
  expect(await listSessions(db, userId)).toMatchObject([{ id: sessionId }]);
  const before = Date.now();
  await endSessions(connected, userId);
  expect(await listSessions(db, userId)).toEqual([]);
  expect((await rowOf(sessionId)).revokedAt).toBeGreaterThanOrEqual(before);
  expect(await listSessions(db, other.userId)).toHaveLength(1);
});

function freshRow({ id, createdAt }: Row, userId: string): Row {
  const unused = { refreshDigest: null, previousDigest: null, rotatedAt: null, revokedAt: null, socketsDueAt: null };
  const times = { createdAt, lastUsedAt: createdAt, verifiedAt: createdAt, expiresAt: createdAt + 30 * DAY_MS };
  return { id, userId, ...unused, ...times, secondFactorAt: null, userAgent: "A browser" };
}

async function rowOf(id: string | null): Promise<Row> {
  const [row] = await db
    .select()
    .from(authSessions)
    .where(eq(authSessions.id, id ?? ""));
  if (!row) throw new Error("no session");
  return row;
}

/** Adds a factor and returns its id. */
async function addFactor(
  userId: string,
  factor: "passkey" | "second passkey" | "app" | "unconfirmed app",
): Promise<string> {
  const id = crypto.randomUUID();
  if (factor.endsWith("app")) {
    const confirmedAt = factor === "app" ? 1 : null;
    await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1, confirmedAt });
    return id;
  }
  const key = {
    id,
    userId,
    publicKey: "",
    signCount: 0,
    name: "Key",
    createdAt: 1,
    deviceType: "singleDevice",
  } as const;
  await db.insert(passkeys).values({ ...key, backedUp: false, isSecondFactor: factor === "second passkey" });
  return id;
}
