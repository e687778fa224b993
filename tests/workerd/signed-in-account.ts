import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Session } from "@supabase/auth-js";
import { eq } from "drizzle-orm";
import {
  isStoppedStart,
  type NewSession,
  newSession,
  sessionByPasskey,
  sessionByPassword,
} from "#app/accounts/session/auth-sessions.server.ts";
import { webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import type { SessionOwner } from "#app/db/open-session.server.ts";
import { authSessions, type Role } from "#app/db/schema.server.ts";
import { newAccountRows, type StoredColumns, storedAccountRows } from "./new-account.ts";
import { newVisit } from "./new-visit.ts";
import { loadContext } from "./test-context.ts";

const ORIGIN = "https://growline.example";

export type SignedInAccount = { userId: string; email: string; sessionId: string; cookie: string };

/** Creates an account that is signed in by a browser. `cookie` is the value of the Cookie header. */
export async function signedIn(
  role: Role = "customer",
  fullName = "Test Customer",
  emailConfirmedAt: number | null = 1,
): Promise<SignedInAccount> {
  return startAccount(newAccountRows(role, fullName, emailConfirmedAt));
}

/** The same for an account as `storedAccount` stores it, without hashing a password. */
export async function storedSignIn(role: Role = "customer", given: StoredColumns = {}): Promise<SignedInAccount> {
  return startAccount(storedAccountRows(role, given));
}

async function startAccount({ userId, email, rows }: ReturnType<typeof newAccountRows>): Promise<SignedInAccount> {
  const db = connect(env.DB);
  const session = newSession(db, { userId, visit: newVisit() });
  await db.batch([...rows, session.start]);
  return { userId, email, sessionId: session.id, cookie: await cookieOf(session.id) };
}

/** Signs the account in by another browser and returns its session cookie. */
export async function sessionCookie(userId: string): Promise<string> {
  return cookieOf(await startSession(connect(env.DB), { userId }));
}

async function cookieOf(sessionId: string): Promise<string> {
  const [cookie = ""] = (await webSessionCookie(loadContext(), { url: ORIGIN }, sessionId)).split(";");
  return cookie;
}

/** Returns the tokens of a browser's session, which takes no password. */
export async function tokensOf(cookie: string): Promise<Session> {
  const response = await SELF.fetch(`${ORIGIN}/auth/v1/token?grant_type=cookie`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: cookie },
    body: "{}",
  });
  return response.json<Session>();
}

/** Runs what only an open session may do in one that leaves no trace. */
export async function inSession<T>(userId: string, run: (owner: SessionOwner) => Promise<T>): Promise<T> {
  const owner = await ownerOf(userId);
  try {
    return await run(owner);
  } finally {
    await connect(env.DB).delete(authSessions).where(eq(authSessions.id, owner.sessionId));
  }
}

/** Returns the account with a session of its own, for what only an open session may do. */
export async function ownerOf(userId: string): Promise<SessionOwner> {
  return { userId, sessionId: await startSession(connect(env.DB), { userId }) };
}

/** How a session starts. A test needs to name no browser. */
type Start<Builder extends (db: Db, start: never) => NewSession> = Omit<Parameters<Builder>[1], "visit"> & {
  visit?: Visit;
};

/** Starts a session that proves its user, and returns its id. */
export async function startSession(db: Db, start: Start<typeof newSession>): Promise<string> {
  const session = newSession(db, { visit: newVisit(), ...start });
  await session.start;
  return session.id;
}

/** Starts a session by a password or a passkey alone. Returns its id, or null if the account doesn't allow it any more. */
export function startVerifiedSession(db: Db, start: Start<typeof sessionByPassword>): Promise<string | null> {
  return startedOrNull(sessionByPassword(db, { visit: newVisit(), ...start }));
}

export function startPasskeySession(db: Db, start: Start<typeof sessionByPasskey>): Promise<string | null> {
  return startedOrNull(sessionByPasskey(db, { visit: newVisit(), ...start }));
}

async function startedOrNull(session: NewSession): Promise<string | null> {
  try {
    await session.start;
    return session.id;
  } catch (error) {
    if (isStoppedStart(error)) return null;
    throw error;
  }
}
