import { type AppLoadContext, createCookie, redirect } from "@remix-run/cloudflare";
import { and, eq, gt, isNull } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, profiles, type Role } from "#app/db/schema.server.ts";

/** Who is asking, as far as the cookie of a web session says. */
export type Viewer = {
  userId: string;
  sessionId: string;
  email: string;
  fullName: string;
  role: Role;
};

const SESSION_DAYS = 30;
const SESSION_MS = SESSION_DAYS * 24 * 60 * 60 * 1000;
/** `last_used_at` is written at most this often. */
const TOUCH_MS = 60 * 60 * 1000;

/** Starts a web session and answers the Set-Cookie header for it. */
export async function startWebSession(context: AppLoadContext, request: Request, userId: string): Promise<string> {
  const now = Date.now();
  const id = crypto.randomUUID();
  await context.db.insert(authSessions).values({
    id,
    userId,
    expiresAt: now + SESSION_MS,
    createdAt: now,
    lastUsedAt: now,
    userAgent: request.headers.get("User-Agent")?.slice(0, 300) ?? "",
  });
  return sessionCookie(context, request).serialize(id);
}

/** Revokes the session and answers the Set-Cookie header that forgets it. */
export async function endWebSession(context: AppLoadContext, request: Request): Promise<string> {
  const cookie = sessionCookie(context, request);
  const id: unknown = await cookie.parse(request.headers.get("Cookie"));
  if (typeof id === "string") {
    await context.db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, id));
  }
  return cookie.serialize("", { maxAge: 0 });
}

/** Null for a visitor: no cookie, a forged one, or a session that ended. */
export async function readViewer(
  request: Request,
  context: Pick<AppLoadContext, "env" | "db" | "waitUntil">,
): Promise<Viewer | null> {
  const id: unknown = await sessionCookie(context, request).parse(request.headers.get("Cookie"));
  if (typeof id !== "string" || id === "") return null;
  const now = Date.now();
  const [found] = await context.db
    .select({
      userId: authSessions.userId,
      lastUsedAt: authSessions.lastUsedAt,
      email: profiles.email,
      fullName: profiles.fullName,
      role: profiles.role,
    })
    .from(authSessions)
    .innerJoin(profiles, eq(profiles.userId, authSessions.userId))
    .where(and(eq(authSessions.id, id), isNull(authSessions.revokedAt), gt(authSessions.expiresAt, now)))
    .limit(1);
  if (!found) return null;
  const { lastUsedAt, ...viewer } = found;
  if (now - lastUsedAt > TOUCH_MS) context.waitUntil(touch(context.db, id, now));
  return { ...viewer, sessionId: id };
}

/** Throws the redirect to the log-in page, with the way back, when nobody is signed in. */
export async function requireViewer(request: Request, context: AppLoadContext): Promise<Viewer> {
  const viewer = await readViewer(request, context);
  if (viewer) return viewer;
  const { pathname, search } = new URL(request.url);
  throw redirect(`/auth/login?${new URLSearchParams({ redirectTo: pathname + search })}`);
}

/** Throws 404 for a signed-in person of another role, so that staff pages do not show that they exist. */
export async function requireRole(request: Request, context: AppLoadContext, ...roles: Role[]): Promise<Viewer> {
  const viewer = await requireViewer(request, context);
  if (!roles.includes(viewer.role)) throw new Response(null, { status: 404 });
  return viewer;
}

async function touch(db: Db, id: string, now: number): Promise<void> {
  await db.update(authSessions).set({ lastUsedAt: now }).where(eq(authSessions.id, id));
}

function sessionCookie({ env }: Pick<AppLoadContext, "env">, request: Request) {
  return createCookie("growline_auth", {
    secrets: env.SESSION_SECRET.split(","),
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    maxAge: SESSION_MS / 1000,
    secure: new URL(request.url).protocol === "https:",
  });
}
