import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type DeviceHistory, identifyDevice, rememberDevice } from "#app/accounts/devices/known-devices.server.ts";
import { announceNewDevice } from "#app/accounts/devices/new-device-email.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { endSessionsWhere, isStoppedStart, type NewSession } from "#app/accounts/session/auth-sessions.server.ts";
import { cookieSessionId, webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { authSessions, type Role } from "#app/db/schema.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";

/** `cookie` and `deviceCookie` are Set-Cookie headers. `toast` is for the next page. */
export type SignedIn = {
  ok: true;
  isPending: false;
  userId: string;
  role: Role;
  sessionId: string;
  cookie: string;
  deviceCookie: string;
  toast: string | null;
};

/** `history`: null for a new account. `toast`: for the next page. */
type SignIn = { userId: string; session: NewSession; history: DeviceHistory | null; toast?: string | null };

/**
 * Ends a log-in, in one batch with the statements that `also` take effect. Returns null and changes nothing if the account
 * doesn't fulfil the condition of the session any more.
 */
export async function completeLogIn(
  context: AppLoadContext,
  request: Request,
  signIn: SignIn,
  also: readonly BatchItem<"sqlite">[] = [],
): Promise<SignedIn | null> {
  const { db } = context;
  const { start, statements, finish } = await prepareSignIn(context, request, signIn);
  try {
    const [[started]] = await db.batch([start, ...statements, ...also]);
    return await finish(started?.role);
  } catch (error) {
    if (isStoppedStart(error)) return null;
    throw error;
  }
}

/**
 * Builds what every log-in and sign-up ends with: the statements that start its session, end the one that this browser had
 * before, record the log-in, and email the owner if the account is not known to use this device. Call `finish` once their
 * batch has succeeded.
 */
export async function prepareSignIn(
  context: AppLoadContext,
  request: Request,
  { userId, session, history, toast = null }: SignIn,
) {
  const { db } = context;
  const now = Date.now();
  const [device, previous] = await Promise.all([identifyDevice(context, request), cookieSessionId(context, request)]);
  const isNewDevice = history?.hasDevices && !history.isKnown;
  const kind = isNewDevice ? "new_device" : history === null ? "signed_up" : "log_in";
  const statements = [
    ...rememberDevice(db, userId, device.digest, now),
    eventStatement(context, request, userId, kind),
    ...(previous === null ? [] : [endSessionsWhere(db, eq(authSessions.id, previous))]),
    ...(isNewDevice ? await announceNewDevice(context, request, { userId }, now) : []),
  ];
  return {
    start: session.start,
    statements,
    async finish(role: Role = "customer"): Promise<SignedIn> {
      logEvent(context, userId, kind);
      if (isNewDevice) sendQueuedSoon(context);
      const cookie = await webSessionCookie(context, request, session.id);
      return {
        ok: true,
        isPending: false,
        userId,
        role,
        sessionId: session.id,
        cookie,
        deviceCookie: device.cookie,
        toast,
      };
    },
  };
}
