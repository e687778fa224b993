import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq, isNull, ne } from "drizzle-orm";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import {
  endSessionsWhere,
  forgetPasswordProofs,
  recordSecondFactor,
} from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { announceChange, type NamedFactor } from "./factor-events.server.ts";
import { type Factors, factorsOf, hasSecondStep } from "./factors.server.ts";
import { endSetupLink } from "./staff-setup-links.server.ts";

type Call = { context: AppLoadContext; visit: Visit; viewer: Viewer };
/** `alert`: the token of the link that rejects the factor. */
export type AddedFactor = { factor: NamedFactor; alert: string };

/**
 * Does what follows a new factor: records it in the session and as an event, and ends sessions of the password alone. In
 * those that run on, what the password proved doesn't count.
 */
export async function recordAddedFactor(call: Call, added: AddedFactor): Promise<Factors> {
  const { context, visit, viewer } = call;
  await recordSecondFactor(context.db, viewer, "added");
  await forgetPasswordProofs(context.db, viewer);
  await endSetupLink(context.db, viewer.userId);
  await announceChange(context, visit, viewer.userId, { kind: "factor_added", ...added });
  const factors = await factorsOf(context.db, viewer.userId);
  await endSessionsWithoutFactor(call, factors);
  return factors;
}

/**
 * Ends the account's other sessions that took no second step, once a log-in has to take one: the password alone started
 * them, and would let them remove the factor again.
 */
export async function endSessionsWithoutFactor({ context, visit, viewer }: Call, factors: Factors): Promise<void> {
  if (!hasSecondStep(factors)) return;
  const { userId, sessionId } = viewer;
  const others = [eq(authSessions.userId, userId), ne(authSessions.id, sessionId)] as const;
  const ended = await endSessionsWhere(context.db, ...others, isNull(authSessions.secondFactorAt)).returning({
    id: authSessions.id,
  });
  if (ended.length > 0) recordEvent(context, visit, userId, "sessions_ended");
}
