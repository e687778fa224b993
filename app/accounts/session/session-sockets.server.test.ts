import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { authSessions, profiles } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { endSession, IDLE_MS, STAFF_IDLE_MS } from "./auth-sessions.server.ts";
import { admitSockets, listEndedWithSockets, markSocketsClosed, readSessionRoles } from "./session-sockets.server.ts";

type Row = typeof authSessions.$inferSelect;

beforeEach(async () => {
  await db.update(authSessions).set({ socketsDueAt: null });
});

test("admits sockets of a running session, and notes when it ends if it isn't used again", async () => {
  const [customer, agent, other] = [await storedSignIn(), await storedSignIn("agent"), await storedSignIn()];
  expect(await admitSockets(db, customer.sessionId)).toBe("customer");
  expect(await admitSockets(db, agent.sessionId)).toBe("agent");
  const dueAfter = async ({ sessionId }: { sessionId: string }) => {
    const { socketsDueAt, lastUsedAt } = await rowOf(sessionId);
    return socketsDueAt === null ? null : socketsDueAt - lastUsedAt;
  };
  expect([await dueAfter(customer), await dueAfter(agent), await dueAfter(other)]).toEqual([
    IDLE_MS,
    STAFF_IDLE_MS,
    null,
  ]);
});

test("admits no sockets of a session that has ended or is unknown", async () => {
  const { userId, sessionId } = await storedSignIn();
  await endSession(db, userId, sessionId);
  expect(await admitSockets(db, sessionId)).toBeNull();
  expect(await admitSockets(db, "unknown")).toBeNull();
});

test("reads the present roles of running sessions only", async () => {
  const [customer, agent, ended] = [await storedSignIn(), await storedSignIn("agent"), await storedSignIn("admin")];
  await endSession(db, ended.userId, ended.sessionId);
  await db.update(profiles).set({ role: "admin" }).where(eq(profiles.userId, agent.userId));
  const asked = [customer.sessionId, agent.sessionId, ended.sessionId, "unknown"];
  expect(await readSessionRoles(db, asked)).toEqual(
    new Map([
      [customer.sessionId, "customer"],
      [agent.sessionId, "admin"],
    ]),
  );
  expect(await readSessionRoles(db, [])).toEqual(new Map());
});

const NOW = Date.now() + 60_000;
const DUE: [state: string, changes: Partial<Row>, isListed: boolean][] = [
  ["ended now", { socketsDueAt: NOW + 9, revokedAt: NOW }, true],
  ["ends in a moment", { socketsDueAt: 1, revokedAt: NOW + 1 }, false],
  ["ended without sockets", { socketsDueAt: null, revokedAt: NOW }, false],
  ["reached its limit now", { socketsDueAt: NOW, expiresAt: NOW }, true],
  ["reaches its limit in a moment", { socketsDueAt: NOW + 1, expiresAt: NOW + 1 }, false],
  ["was used since", { socketsDueAt: NOW, lastUsedAt: NOW }, false],
];

test.for(DUE)("lists a session whose sockets must close, when it %s: %o, %s", async ([, changes, isListed]) => {
  const { sessionId, userId } = await storedSignIn();
  await db.update(authSessions).set(changes).where(eq(authSessions.id, sessionId));
  expect(await listEndedWithSockets(db, NOW)).toEqual(isListed ? [{ id: sessionId, userId }] : []);
});

test("moves the check of a session that was used since to its later limit, and no other's", async () => {
  const [used, waiting, ended] = [await storedSignIn(), await storedSignIn(), await storedSignIn()];
  await setRow(used.sessionId, { socketsDueAt: NOW, lastUsedAt: NOW });
  await setRow(waiting.sessionId, { socketsDueAt: NOW + 1 });
  await setRow(ended.sessionId, { socketsDueAt: 5, revokedAt: 5 });
  await listEndedWithSockets(db, NOW);
  const due = await Promise.all(
    [used, waiting, ended].map(async ({ sessionId }) => (await rowOf(sessionId)).socketsDueAt),
  );
  expect(due).toEqual([NOW + IDLE_MS, NOW + 1, 5]);
});

test("lists at most a hundred sessions at a time, and none whose sockets were closed", async () => {
  const { userId } = await storedSignIn();
  const kept = await storedSignIn();
  await setRow(kept.sessionId, { socketsDueAt: NOW + 1 });
  const ended = { userId, expiresAt: 5, createdAt: 1, lastUsedAt: 1, verifiedAt: 1, revokedAt: 5, socketsDueAt: 5 };
  for (let at = 0; at < 101; at++) await db.insert(authSessions).values({ ...ended, id: crypto.randomUUID() });
  const first = await listEndedWithSockets(db, NOW);
  expect(first).toHaveLength(100);
  await markSocketsClosed(
    db,
    first.map(({ id }) => id),
  );
  expect(await listEndedWithSockets(db, NOW)).toHaveLength(1);
  expect((await rowOf(kept.sessionId)).socketsDueAt).toBe(NOW + 1);
});

async function setRow(id: string, changes: Partial<Row>): Promise<void> {
  await db.update(authSessions).set(changes).where(eq(authSessions.id, id));
}

async function rowOf(id: string): Promise<Row> {
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, id));
  if (!row) throw new Error("no session");
  return row;
}
