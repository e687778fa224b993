import type { AppLoadContext } from "@remix-run/cloudflare";
import type { BatchItem } from "drizzle-orm/batch";
import { type DeviceHistory, rememberDevice } from "#app/accounts/devices/known-devices.server.ts";
import { announceNewDevice } from "#app/accounts/devices/new-device-email.server.ts";
import { eventStatement, logEvent } from "#app/accounts/events/security-events.server.ts";
import { isStoppedStart, type NewSession } from "#app/accounts/session/auth-sessions.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Role } from "#app/db/schema.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";

/** `deviceId` is what the browser is remembered by from then on. `toast` is for the next page. */
export type SignedIn = {
  ok: true;
  isPending: false;
  userId: string;
  role: Role;
  sessionId: string;
  deviceId: string;
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
  visit: Visit,
  signIn: SignIn,
  also: readonly BatchItem<"sqlite">[] = [],
): Promise<SignedIn | null> {
  const { db } = context;
  const { start, statements, finish } = await prepareSignIn(context, visit, signIn);
  try {
    const [[started]] = await db.batch([start, ...statements, ...also]);
    return finish(started?.role);
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
  visit: Visit,
  { userId, session, history, toast = null }: SignIn,
) {
  const { db } = context;
  const now = Date.now();
  const deviceId = visit.deviceId ?? randomSecret();
  const isNewDevice = history?.hasDevices && !history.isKnown;
  const kind = isNewDevice ? "new_device" : history === null ? "signed_up" : "log_in";
  const statements = [
    ...rememberDevice(db, userId, sha256(deviceId), now),
    eventStatement(db, visit, userId, kind),
    ...session.end,
    ...(isNewDevice ? await announceNewDevice(context, visit, { userId }, now) : []),
  ];
  return {
    start: session.start,
    statements,
    finish(role: Role = "customer"): SignedIn {
      logEvent(context, userId, kind);
      if (isNewDevice) sendQueuedSoon(context);
      return { ok: true, isPending: false, userId, role, sessionId: session.id, deviceId, toast };
    },
  };
}
