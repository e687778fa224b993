import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { deviceDigest, deviceHistory } from "#app/accounts/devices/known-devices.server.ts";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { spendFactorCode } from "#app/accounts/factors/factor-code.server.ts";
import { announceUse } from "#app/accounts/factors/factor-events.server.ts";
import { CODE_ERRORS, PASSKEY_ERRORS } from "#app/accounts/factors/factor-texts.ts";
import { type Factors, factorsOf, hasFactor } from "#app/accounts/factors/factors.server.ts";
import { checkPasskey } from "#app/accounts/factors/passkey-check.server.ts";
import type { PasskeyProof } from "#app/accounts/factors/passkey-form.server.ts";
import { tooMany } from "#app/accounts/password/attempts.server.ts";
import { recordSecondFactor, sessionByPasskey, sessionByPassword } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { isSpent, spendStatement } from "#app/accounts/tokens/single-use-tokens.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { profiles, type Role, users } from "#app/db/schema.server.ts";
import { completeLogIn, type SignedIn } from "./complete-sign-in.server.ts";
import { LOG_IN_TOASTS, SUSPENDED_TEXT } from "./log-in-texts.ts";
import { type PendingLogIn, readPendingLogIn } from "./pending-log-in.server.ts";

export type FactorProof = { kind: "code"; code: string } | ({ kind: "passkey" } & PasskeyProof);
/** `isOver`: the log-in has to start again with the password. */
export type RefusedStep = { ok: false; status: number; text: string; isOver: boolean; headers: Record<string, string> };
/** The session runs on. */
export type StepOfSession = { ok: true; isPending: false; sessionId: null; role: Role };
type FactorUse = { ok: true; factor: "passkey" | "totp" | "recovery_code" } | RefusedStep;

/** Whose second factor is asked for: that of a log-in that waits for it, or of a session that started without one. */
export type SecondStep =
  | { kind: "log_in"; userId: string; factors: Factors; pending: PendingLogIn }
  | { kind: "session"; userId: string; factors: Factors; sessionId: string };

/** The refusal of a log-in that waits no more. */
export const OVER = refuse(400, "This log-in has expired. Enter your password again.", { isOver: true });

/**
 * Returns the second step that this browser has to take, or null if there is none. `readViewer` is called unless a log-in
 * waits.
 */
export async function readSecondStep(
  context: AppLoadContext,
  visit: Visit,
  readViewer: () => Promise<Viewer | null>,
): Promise<SecondStep | null> {
  const pending = await readPendingLogIn(context, visit);
  if (pending) return { kind: "log_in", userId: pending.userId, factors: pending.factors, pending };
  const viewer = await readViewer();
  if (!viewer || viewer.secondFactorAt !== null) return null;
  const { userId, sessionId } = viewer;
  const factors = await factorsOf(context.db, userId);
  return hasFactor(factors) ? { kind: "session", userId, factors, sessionId } : null;
}

/** Checks the second factor and uses it up. */
async function spendFactor(
  context: AppLoadContext,
  visit: Visit,
  userId: string,
  proof: FactorProof,
): Promise<FactorUse> {
  if (proof.kind === "passkey") {
    const checked = await checkPasskey(context, visit, { purpose: "second_step", userId }, proof);
    return checked.ok ? { ok: true, factor: "passkey" } : refuse(400, PASSKEY_ERRORS[checked.reason]);
  }
  const spent = await spendFactorCode(context, visit, userId, proof.code);
  if (spent.ok) return spent;
  if (spent.reason === "wrong_code") return refuse(400, CODE_ERRORS.wrong_code);
  const { status, text, headers } = tooMany(spent.retryAfterSeconds);
  return refuse(status, `${text} A passkey or a recovery code works right away.`, { headers });
}

/** Takes the second step: starts the session of a log-in, which passes once, or records the factor in the session. */
export async function passSecondStep(
  context: AppLoadContext,
  visit: Visit,
  step: SecondStep,
  proof: FactorProof,
): Promise<SignedIn | StepOfSession | RefusedStep> {
  const used = await spendFactor(context, visit, step.userId, proof);
  if (!used.ok) {
    // The owner should know that somebody has the password.
    recordEvent(context, visit, step.userId, used.status === 429 ? "limited" : "denied", { action: "second_step" });
    return used;
  }
  await announceUse(context, visit, step.userId, { factor: used.factor, left: step.factors.recoveryCodesLeft - 1 });
  if (step.kind === "session") {
    const role = await recordSecondFactor(context.db, step, "used");
    return { ok: true, isPending: false, sessionId: null, role: role ?? "customer" };
  }
  return startPendingSession(context, visit, step.pending);
}

async function startPendingSession(
  context: AppLoadContext,
  visit: Visit,
  { token, userId, passwordHash, history, how }: PendingLogIn,
): Promise<SignedIn | RefusedStep> {
  const { db } = context;
  const session = sessionByPassword(db, { userId, passwordHash, visit, secondFactorAt: Date.now() });
  const signIn = { userId, session, history, toast: LOG_IN_TOASTS[how] };
  try {
    const signedIn = await completeLogIn(context, visit, signIn, [spendStatement(db, token)]);
    return signedIn ?? OVER;
  } catch (error) {
    if (isSpent(error)) return OVER;
    throw error;
  }
}

/** `reason` is for the clients that read error codes. */
export type RefusedPasskey = RefusedStep & { reason: keyof typeof PASSKEY_ERRORS | "suspended" };

/** Logs in by a passkey alone. Its authenticator has verified the person, so that it counts as both factors. */
export async function logInByPasskey(
  context: AppLoadContext,
  visit: Visit,
  proof: PasskeyProof,
): Promise<SignedIn | RefusedPasskey> {
  const checked = await checkPasskey(context, visit, { purpose: "log_in" }, proof);
  if (!checked.ok) return refusePasskey(checked.reason);
  const { userId, passkeyId } = checked;
  const { db } = context;
  const [account] = await db
    .select({ suspendedAt: users.suspendedAt, ...deviceHistory(db, deviceDigest(visit)) })
    .from(profiles)
    .innerJoin(users, eq(users.id, profiles.userId))
    .where(eq(profiles.userId, userId));
  if (!account) return refusePasskey("unknown_passkey");
  const { suspendedAt, ...history } = account;
  if (suspendedAt !== null) {
    recordEvent(context, visit, userId, "denied", { reason: "suspended" });
    return { ...refuse(403, SUSPENDED_TEXT), reason: "suspended" };
  }
  const session = sessionByPasskey(db, { userId, passkeyId, visit, secondFactorAt: Date.now() });
  await announceUse(context, visit, userId, { factor: "passkey" });
  const signedIn = await completeLogIn(context, visit, { userId, session, history });
  return signedIn ?? refusePasskey("unknown_passkey");
}

function refusePasskey(reason: keyof typeof PASSKEY_ERRORS): RefusedPasskey {
  return { ...refuse(400, PASSKEY_ERRORS[reason]), reason };
}

function refuse(
  status: number,
  text: string,
  { headers = {}, isOver = false }: { headers?: Record<string, string>; isOver?: boolean } = {},
): RefusedStep {
  return { ok: false, status, text, isOver, headers };
}
