import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { endSession, listSessions } from "./auth-sessions.server.ts";
import { endWebSession } from "./viewer.server.ts";

const db = connect(env.DB);

test("keeps the time at which a session ended when its browser logs out later", async () => {
  const { sessionId, cookie } = await signedIn();
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, sessionId));
  const request = new Request("https://growline.example/logout", { method: "POST", headers: { Cookie: cookie } });
  await endWebSession(loadContext(), request);
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
