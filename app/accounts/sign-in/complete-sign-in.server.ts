import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq, ne } from "drizzle-orm";
import { identifyDevice, readDeviceHistory, rememberDevice } from "#app/accounts/devices/known-devices.server.ts";
import { announceNewDevice } from "#app/accounts/devices/new-device-email.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import { cookieSessionId, webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { authSessions, profiles } from "#app/db/schema.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { runLogged } from "#app/http/log.ts";

/** `cookie` and `deviceCookie` are Set-Cookie headers. `toast` is for the next page. */
export type SignedIn = {
  ok: true;
  isPending: false;
  userId: string;
  sessionId: string;
  cookie: string;
  deviceCookie: string;
  toast: string | null;
};

/**
 * Does what every log-in and sign-up ends with, once its session has started: ends the session that this browser had
 * before, records the log-in, and emails the owner if the account is not known to use this device. If that fails, it ends
 * the new session and throws.
 */
export async function completeSignIn(
  context: AppLoadContext,
  request: Request,
  started: StartedSession,
): Promise<SignedIn> {
  const { db, requestId } = context;
  try {
    return await recordSignIn(context, request, started);
  } catch (error) {
    // Its cookie reaches nobody. If this fails too, it ends unused.
    const ending = runLogged("unused session not ended", { request_id: requestId }, async () => {
      await endSessionsWhere(db, eq(authSessions.id, started.sessionId));
    });
    context.waitUntil(ending);
    throw error;
  }
}

async function recordSignIn(
  context: AppLoadContext,
  request: Request,
  { userId, sessionId, toast = null, isNew = false }: StartedSession,
): Promise<SignedIn> {
  const { db } = context;
  const now = Date.now();
  const [device, previous] = await Promise.all([identifyDevice(context, request), cookieSessionId(context, request)]);
  const { hasDevices, isKnown } = await readDeviceHistory(db, userId, device.digest);
  const isSuspicious = hasDevices && !isKnown;
  const kind = isNew ? "signed_up" : isSuspicious ? "new_device" : "log_in";
  const email = isSuspicious ? await emailOf(context, userId) : null;
  await db.batch([
    ...rememberDevice(db, userId, device.digest, now),
    eventStatement(context, request, userId, kind),
    ...(previous === null ? [] : [endSessionsWhere(db, eq(authSessions.id, previous), ne(authSessions.id, sessionId))]),
    ...(email === null ? [] : await announceNewDevice(context, request, { userId, email }, now)),
  ]);
  logEvent(context, userId, kind);
  if (email !== null) sendQueuedSoon(context);
  const cookie = await webSessionCookie(context, request, sessionId);
  return { ok: true, isPending: false, userId, sessionId, cookie, deviceCookie: device.cookie, toast };
}

/** `isNew`: of a new account. */
export type StartedSession = { userId: string; sessionId: string; toast?: string | null; isNew?: boolean };

async function emailOf({ db }: Pick<AppLoadContext, "db">, userId: string): Promise<string | null> {
  const [profile] = await db
    .select({ email: profiles.email })
    .from(profiles)
    .where(eq(profiles.userId, userId))
    .limit(1);
  return profile?.email ?? null;
}
