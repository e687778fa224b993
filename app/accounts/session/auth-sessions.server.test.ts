import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { readVisit, SESSION_MS } from "#app/accounts/visit/visit.server.ts";
import { connect } from "#app/db/db.server.ts";
import { authSessions, type Role } from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { endSession, IDLE_MS, listSessions, STAFF_IDLE_MS, STAFF_SESSION_MS } from "./auth-sessions.server.ts";
import { refreshTokens, tokensOfSession } from "./token-sessions.server.ts";
import { endWebSession, readTokenViewer, readViewer } from "./viewer.server.ts";

const db = connect(env.DB);
const SITE = "https://growline.example/";

test("keeps the time at which a session ended when its browser logs out later", async () => {
  const { sessionId, cookie } = await signedIn();
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, sessionId));
  const request = new Request("https://growline.example/logout", { method: "POST", headers: { Cookie: cookie } });
  await endWebSession(loadContext(), await readVisit(loadContext(), request));
  expect(await endedAt(sessionId)).toBe(1);
});

test("ends a session once, and only for its own user", async () => {
  const { userId, sessionId } = await signedIn();
  const stranger = await signedIn();
  expect(await endSession(db, stranger.userId, sessionId)).toBeNull();
  expect(await listSessions(db, userId)).toHaveLength(1);
  expect(await endSession(db, userId, sessionId)).toEqual({ userAgent: "" });
  expect(await endSession(db, userId, sessionId)).toBeNull();
  expect(await listSessions(db, userId)).toEqual([]);
});

async function endedAt(sessionId: string): Promise<number | null | undefined> {
  const [row] = await db.select().from(authSessions).where(eq(authSessions.id, sessionId));
  return row?.revokedAt;
}

const LIMITS: [role: Role, age: number, idle: number, runs: boolean][] = [
  ["customer", SESSION_MS - HOUR_MS, IDLE_MS - HOUR_MS, true],
  ["customer", IDLE_MS + HOUR_MS, IDLE_MS + 1, false],
  ["customer", SESSION_MS + 1, 0, false],
  ["agent", STAFF_SESSION_MS - HOUR_MS, STAFF_IDLE_MS - HOUR_MS, true],
  ["agent", STAFF_IDLE_MS + HOUR_MS, STAFF_IDLE_MS + 1, false],
  ["admin", STAFF_SESSION_MS + 1, 0, false],
];

for (const [role, age, idle, runs] of LIMITS) {
  const state = `${hours(age)} h old and unused for ${hours(idle)} h`;
  test(`${runs ? "accepts" : "refuses"} the session of a ${role} that is ${state}, by cookie and by tokens`, async () => {
    const { userId, sessionId, cookie } = await signedIn(role);
    const issued = await tokensOfSession(db, env.SESSION_SECRET, sessionId);
    if (!issued.ok) throw new Error(issued.reason);
    const now = Date.now();
    const times = { createdAt: now - age, expiresAt: now - age + SESSION_MS, lastUsedAt: now - idle };
    await db.update(authSessions).set(times).where(eq(authSessions.id, sessionId));
    const viewers = await Promise.all([
      readViewer(new Request(SITE, { headers: { Cookie: cookie } }), loadContext()),
      readTokenViewer(
        new Request(SITE, { headers: { Authorization: `Bearer ${issued.tokens.accessToken}` } }),
        loadContext(),
      ),
    ]);
    expect(viewers.map((viewer) => viewer?.userId)).toEqual(runs ? [userId, userId] : [undefined, undefined]);
    expect(await listSessions(db, userId)).toHaveLength(runs ? 1 : 0);
    expect((await refreshTokens(db, env.SESSION_SECRET, issued.tokens.refreshToken)).ok).toBe(runs);
  });
}

test("reads a viewer by one statement, however old the session is", async () => {
  const { sessionId, cookie } = await signedIn();
  for (const age of [0, STAFF_SESSION_MS * 2]) {
    await db
      .update(authSessions)
      .set({ createdAt: Date.now() - age })
      .where(eq(authSessions.id, sessionId));
    const { database, byStatement } = countedDatabase(env.DB);
    const request = new Request(SITE, { headers: { Cookie: cookie } });
    expect(await readViewer(request, loadContext({ db: connect(database) }))).not.toBeNull();
    expect(byStatement.size).toBe(1);
  }
});

function hours(ms: number): number {
  return Math.round(ms / HOUR_MS);
}
