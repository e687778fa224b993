import { type AppLoadContext, redirect } from "@remix-run/cloudflare";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { verifyAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { sessionCookie, type Visit } from "#app/accounts/visit/visit.server.ts";
import { cookieName } from "#app/cookie-names.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { readOnce } from "#app/db/read-once.server.ts";
import { authSessions, profiles, type Role, users } from "#app/db/schema.server.ts";
import { clearCookie, readCookieText, sentCookies } from "#app/http/cookies.ts";
import { bearerToken } from "#app/http/requests/bearer-token.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { APP_SIGN_IN_PATH, isWebViewLike } from "#app/http/web-view.ts";
import { endSessionsWhere, isRunning, TOUCH_MS } from "./auth-sessions.server.ts";
import { recordTokenUse } from "./token-sessions.server.ts";

/** The logged-in user of a request. */
export type Viewer = {
  userId: string;
  sessionId: string;
  email: string;
  fullName: string;
  /** The role that this session may act in: customer while it is held. */
  role: Role;
  /** Whether this is a session of staff that lacks the required second factor, so that it can only set one up. */
  isHeld: boolean;
  /** When the person last proved who they are, in ms. */
  verifiedAt: number;
  /** When they last used a second factor in this session, in ms, or null. */
  secondFactorAt: number | null;
  /** Whether the owner has confirmed `email` by a link sent there. */
  emailConfirmed: boolean;
};

/** Returns the actor for the audit log. */
export function actorOf(viewer: Pick<Viewer, "userId" | "fullName" | "email" | "sessionId">): Actor {
  return { userId: viewer.userId, name: actorName(viewer), sessionId: viewer.sessionId };
}

/**
 * Runs a change by staff. Throws a redirect to the sign-in page if the change was refused because the session ended after
 * the request was let in.
 */
export async function asStaff<Outcome>(
  request: Request,
  viewer: Parameters<typeof actorOf>[0],
  change: (actor: Actor) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await change(actorOf(viewer));
  } catch (error) {
    throw violates(error, "audit_log.actor_id") ? redirectToSignIn(request) : error;
  }
}

/** Uses the email if there is no name, so that each entry of the audit log names somebody. */
export function actorName({ fullName, email }: Pick<Viewer, "fullName" | "email">): string {
  return fullName || email;
}

/** Where passkeys, the authenticator app and recovery codes are set up. */
export const TWO_STEP_PATH = "/account/two-step";

type EnvContext = Pick<AppLoadContext, "env">;

/** Returns the Set-Cookie header of a session. */
export function webSessionCookie({ env }: EnvContext, page: Pick<Request, "url">, sessionId: string): Promise<string> {
  return sessionCookie(env, page).serialize(sessionId);
}

/** Ends the session and returns the Set-Cookie header that clears its cookie. */
export async function endWebSession(context: AppLoadContext, visit: Visit): Promise<string> {
  if (visit.previousSession !== null) {
    const [ended] = await endSessionsWhere(context.db, eq(authSessions.id, visit.previousSession)).returning({
      userId: authSessions.userId,
    });
    if (ended) recordEvent(context, visit, ended.userId, "session_ended");
  }
  return forgetWebSession(context, visit);
}

export function forgetWebSession({ env }: EnvContext, page: Pick<Request, "url">): Promise<string> {
  return clearCookie(sessionCookie(env, page));
}

type ReadContext = Pick<AppLoadContext, "env" | "db" | "waitUntil">;

/**
 * Returns the viewer by cookie, or else by access token. Returns null if neither names a running session, and for a held
 * one, which is nobody until it has its second factor.
 */
export async function readViewer(request: Request, context: ReadContext): Promise<Viewer | null> {
  const viewer = await readHeldViewer(request, context);
  return viewer?.isHeld ? null : viewer;
}

/** Returns the viewer, even of a held session. For what leads to its setup or ends it, and what shows who is logged in. */
export async function readHeldViewer(request: Request, context: ReadContext): Promise<Viewer | null> {
  const sent = ["Cookie", "Authorization"].map((name) => request.headers.get(name) ?? "");
  // After an action, Remix calls the loaders with a GET: the form may have changed who is logged in.
  return readOnce(context.db, ["viewer", request.method, ...sent].join("\n"), async () => {
    const sent = await sentSession(context, request);
    return sent && viewerOf(context, sent);
  });
}

/** Returns the viewer by access token alone, for the token endpoints. */
export async function readTokenViewer(request: Request, context: ReadContext): Promise<Viewer | null> {
  const sent = await tokenSession(context, request);
  return sent && viewerOf(context, sent);
}

/** Returns the session id in the cookie, or null if it is missing or forged. Does not check that the session runs. */
export function cookieSessionId({ env }: EnvContext, request: Request): Promise<string | null> {
  return readCookieText(sessionCookie(env, request), request);
}

/** Returns whether the request names a session at all, by cookie or by token. Proves nothing. */
export function sendsSession(request: Request): boolean {
  const cookie = cookieName(new URL(request.url), "growline_auth");
  return bearerToken(request) !== null || Object.hasOwn(sentCookies(request), cookie);
}

/** The session that a request sends. `refreshId` is null for a cookie. */
type SentSession = { sessionId: string; refreshId: string | null };

async function sentSession(context: EnvContext, request: Request): Promise<SentSession | null> {
  const sessionId = await cookieSessionId(context, request);
  return sessionId ? { sessionId, refreshId: null } : tokenSession(context, request);
}

async function tokenSession({ env }: EnvContext, request: Request): Promise<SentSession | null> {
  const token = bearerToken(request);
  return token === null ? null : verifyAccessToken(env.SESSION_SECRET, token);
}

async function viewerOf(context: ReadContext, sent: SentSession): Promise<Viewer | null> {
  const now = Date.now();
  const [found] = await selectViewer(context.db, sent.sessionId, now);
  return found ? letIn(context, sent, found, now) : null;
}

function selectViewer(db: Db, id: string, now: number) {
  return db
    .select({
      userId: authSessions.userId,
      rotation: {
        refreshDigest: authSessions.refreshDigest,
        rotatedAt: authSessions.rotatedAt,
        lastUsedAt: authSessions.lastUsedAt,
      },
      verifiedAt: authSessions.verifiedAt,
      secondFactorAt: authSessions.secondFactorAt,
      email: profiles.email,
      fullName: profiles.fullName,
      role: profiles.role,
      emailConfirmedAt: users.emailConfirmedAt,
    })
    .from(authSessions)
    .innerJoin(profiles, eq(profiles.userId, authSessions.userId))
    .innerJoin(users, eq(users.id, authSessions.userId))
    .where(and(eq(authSessions.id, id), isRunning(now)))
    .limit(1);
}

async function letIn(
  { env, db, waitUntil }: ReadContext,
  sent: SentSession,
  { rotation, emailConfirmedAt, ...account }: Awaited<ReturnType<typeof selectViewer>>[number],
  now: number,
): Promise<Viewer> {
  const id = sent.sessionId;
  // Before what the token is used for.
  if (sent.refreshId !== null) await recordTokenUse(db, sent, rotation, now);
  db.userId = account.userId;
  const isHeld = account.role !== "customer" && account.secondFactorAt === null && requiresStaffFactor(env);
  if (now - rotation.lastUsedAt > TOUCH_MS) waitUntil(touch(db, id, now));
  const emailConfirmed = emailConfirmedAt !== null;
  return { ...account, emailConfirmed, sessionId: id, isHeld, role: isHeld ? "customer" : account.role };
}

type Statements = [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]];

/**
 * Returns what `select`'s statements read for the viewer, in one call together with the session. Throws as `requireViewer`
 * does. `userId` is SQL for the user of a session that may have ended: then nothing that was read is returned.
 */
export async function readForViewer<const Read extends Readonly<Statements>>(
  request: Request,
  context: AppLoadContext,
  select: (userId: SQL<string>) => Read,
): Promise<BatchResponse<Read>> {
  const sent = await sentSession(context, request);
  if (sent === null) throw redirectToSignIn(request);
  const id = sent.sessionId;
  const now = Date.now();
  const userId = sql<string>`(select ${authSessions.userId} from ${authSessions} where ${authSessions.id} = ${id})`;
  const [[found], ...read] = await context.db.batch([selectViewer(context.db, id, now), ...select(userId)]);
  if (!found) throw redirectToSignIn(request);
  if ((await letIn(context, sent, found, now)).isHeld) throw redirect(TWO_STEP_PATH);
  return read as BatchResponse<Read>;
}

/** Returns whether agents and admins need a second factor. "off" is for local copies; any other value requires one. */
export function requiresStaffFactor({ STAFF_SECOND_FACTOR }: Pick<Env, "STAFF_SECOND_FACTOR">): boolean {
  return STAFF_SECOND_FACTOR !== "off";
}

/**
 * Returns the viewer, or throws a redirect: to the sign-in page, which leads back here, or to where a held session sets up
 * its second factor.
 */
export async function requireViewer(request: Request, context: AppLoadContext): Promise<Viewer> {
  const viewer = await requireHeldViewer(request, context);
  if (viewer.isHeld) throw redirect(TWO_STEP_PATH);
  return viewer;
}

/** Returns the viewer, even of a held session. For the page where a second factor is set up. */
export async function requireHeldViewer(request: Request, context: AppLoadContext): Promise<Viewer> {
  const viewer = await readHeldViewer(request, context);
  if (viewer) return viewer;
  throw redirectToSignIn(request);
}

/**
 * Both pages return here after sign-in. Loaders run before the app's gate, so this picks the gate's page for web views.
 */
function redirectToSignIn(request: Request): Response {
  const path = isWebViewLike(request.headers.get("User-Agent") ?? "") ? APP_SIGN_IN_PATH : "/auth/login";
  return redirect(`${path}?${new URLSearchParams({ redirectTo: pathOf(request.url) })}`);
}

/** Returns the viewer. Throws 404 for any other role, which hides that staff pages exist. */
export async function requireRole(request: Request, context: AppLoadContext, ...roles: Role[]): Promise<Viewer> {
  const viewer = await requireViewer(request, context);
  if (!roles.includes(viewer.role)) throw new Response(null, { status: 404 });
  return viewer;
}

/** Returns the viewer of a call that is no page. Throws 403 for a held session, as a redirect would lead to a page. */
export async function requireStaffCall(request: Request, context: AppLoadContext): Promise<Viewer> {
  const viewer = await readHeldViewer(request, context);
  if (viewer?.isHeld) throw new Response("Set up a second step of your login first.", { status: 403 });
  return requireRole(request, context, "agent", "admin");
}

async function touch(db: Db, id: string, now: number): Promise<void> {
  await db.update(authSessions).set({ lastUsedAt: now }).where(eq(authSessions.id, id));
}
