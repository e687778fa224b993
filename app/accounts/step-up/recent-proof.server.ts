import { redirect } from "@remix-run/cloudflare";
import { and, eq, exists, not, type SQL } from "drizzle-orm";
import { factorsOf, hasFactor } from "#app/accounts/factors/factors.server.ts";
import { isRunning, needsFactorProof } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { authSessions, users } from "#app/db/schema.server.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { MINUTE_MS } from "#app/time.ts";

/** How long a log-in, or a later proof in the same session, is enough for what is guarded. */
export const STEP_UP_MS = 10 * MINUTE_MS;

/** Returns whether the person proved who they are, in this session, within STEP_UP_MS. */
export function hasRecentProof({ verifiedAt }: Pick<Viewer, "verifiedAt">, now = Date.now()): boolean {
  return now - verifiedAt < STEP_UP_MS;
}

/**
 * Guards what a forgotten or stolen session must not do. Throws a redirect to the page that asks for a proof and leads
 * back: to `backTo`, or to the page of the request. Call it before anything is read or changed. Forms and links with
 * `asksIdentity` ask in a dialog first, so browsers with scripts see the page only if the proof ends meanwhile. A file to
 * save leads back to the page that links to it: the browser would stay on the page that asks, and the router can't show it.
 */
export function requireRecentProof(request: Request, viewer: Pick<Viewer, "verifiedAt">, backTo?: string): void {
  if (hasRecentProof(viewer)) return;
  throw redirect(verifyPath(backTo ?? pathOf(request.url)));
}

/**
 * Returns whether a password in the form itself is not enough, because the account has another factor and none was used in
 * this session within STEP_UP_MS.
 */
export async function lacksFactorProof(db: Db, viewer: Pick<Viewer, "userId" | "verifiedAt">): Promise<boolean> {
  return !hasRecentProof(viewer) && hasFactor(await factorsOf(db, viewer.userId));
}

/** Guards a form that asks for the password itself, as `requireRecentProof`, where the account has another factor. */
export async function requireFactorProof(
  request: Request,
  db: Db,
  viewer: Pick<Viewer, "userId" | "verifiedAt">,
): Promise<void> {
  if (await lacksFactorProof(db, viewer)) requireRecentProof(request, viewer);
}

type Owner = Pick<Viewer, "userId" | "sessionId">;

/**
 * Builds the statement that records a proof by the password, for the batch that a password in the same form allows. Records
 * nothing where the account has another factor.
 */
export function recordProof(db: Db, { userId, sessionId }: Owner, only?: SQL) {
  const now = Date.now();
  return db
    .update(authSessions)
    .set({ verifiedAt: now })
    .where(
      and(
        eq(authSessions.id, sessionId),
        eq(authSessions.userId, userId),
        isRunning(now),
        not(needsFactorProof(db, userId)),
        only,
      ),
    );
}

/**
 * Records a proof by password. Returns false if the password has changed since it was verified, the session ended, or the
 * account has another factor.
 */
export async function recordPasswordProof(db: Db, owner: Owner, verified: string): Promise<boolean> {
  const isStill = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, owner.userId), eq(users.passwordHash, verified)));
  const recorded = await recordProof(db, owner, exists(isStill)).returning({ id: authSessions.id });
  return recorded.length === 1;
}

/** Returns the page that asks a signed-in person for a proof and leads back to `redirectTo`. */
function verifyPath(redirectTo: string): string {
  return `/auth/verify?${new URLSearchParams({ redirectTo })}`;
}
