import type { AppLoadContext } from "@remix-run/cloudflare";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { type CodeFactor, spendFactorCode } from "#app/accounts/factors/factor-code.server.ts";
import { announceUse } from "#app/accounts/factors/factor-events.server.ts";
import { CODE_ERRORS, PASSKEY_ERRORS, PASSWORD_NOT_ENOUGH } from "#app/accounts/factors/factor-texts.ts";
import { factorsOf, hasFactor } from "#app/accounts/factors/factors.server.ts";
import { checkPasskey } from "#app/accounts/factors/passkey-check.server.ts";
import { readPasskeyProof } from "#app/accounts/factors/passkey-form.server.ts";
import { proofCodeInput, proofPasswordInput } from "#app/accounts/forms/account-input.ts";
import { forgetPasswordChecks, limitPasswordChecks, tooMany } from "#app/accounts/password/attempts.server.ts";
import { WRONG_PASSWORD } from "#app/accounts/password/password-texts.ts";
import { checkOwnPassword } from "#app/accounts/password/verified-password.server.ts";
import { recordSecondFactor } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import type { ProofMethods, ProofResult } from "./proof-result.ts";
import { recordPasswordProof } from "./recent-proof.server.ts";

type Submitted = { status: number; result: ProofResult; headers?: Record<string, string> };
type Owner = Pick<Viewer, "userId" | "sessionId">;

/** Returns what an account's owner can prove who they are with. */
export async function proofMethodsOf(db: Db, userId: string): Promise<ProofMethods> {
  const factors = await factorsOf(db, userId);
  const { passkeys, hasTotp, recoveryCodesLeft } = factors;
  return {
    hasPassword: !hasFactor(factors),
    hasPasskeys: passkeys.length > 0,
    hasCodes: hasTotp || recoveryCodesLeft > 0,
    hasTotp,
  };
}

/**
 * Checks the password, code or passkey that a signed-in person proves who they are with, and records it in this session
 * alone. Attempts count against the session, so that guesses with a stolen one don't keep the owner out.
 */
export async function submitVerifyForm(
  context: AppLoadContext,
  visit: Visit,
  owner: Owner,
  form: FormData,
): Promise<Submitted> {
  switch (formText(form, "intent")) {
    case "code":
      return submitCode(context, visit, owner, form);
    case "passkey":
      return submitPasskey(context, visit, owner, form);
    default:
      return submitPassword(context, visit, owner, form);
  }
}

async function submitPassword(context: AppLoadContext, visit: Visit, owner: Owner, form: FormData): Promise<Submitted> {
  const parsed = parseForm(form, proofPasswordInput, { secrets: ["password"] });
  if (!parsed.ok) return { status: 400, result: parsed.result };
  if (hasFactor(await factorsOf(context.db, owner.userId))) {
    recordEvent(context, visit, owner.userId, "denied", ACTION);
    return { status: 400, result: parsed.refuse({ message: PASSWORD_NOT_ENOUGH }) };
  }
  const checked = await checkOwnPassword(context, visit, owner, "confirm_identity", parsed.input.password);
  if (!checked.ok && checked.reason === "too_many") {
    return { ...checked, result: parsed.refuse({ message: checked.text }) };
  }
  const isProven = checked.ok && (await recordPasswordProof(context.db, owner, checked.passwordHash));
  if (isProven) return { status: 200, result: { intent: "password", ok: true } };
  return { status: 400, result: parsed.refuse({ fieldErrors: { password: WRONG_PASSWORD } }) };
}

async function submitCode(context: AppLoadContext, visit: Visit, owner: Owner, form: FormData): Promise<Submitted> {
  const parsed = parseForm(form, proofCodeInput, { secrets: ["code"] });
  if (!parsed.ok) return { status: 400, result: parsed.result };
  const allowed = await limitPasswordChecks(context, owner.sessionId);
  const spent = allowed.ok
    ? await spendFactorCode(context, visit, owner.userId, parsed.input.code)
    : { ...allowed, reason: "too_many" as const, retryAfterSeconds: Number(allowed.headers["Retry-After"]) };
  if (spent.ok) {
    await forgetPasswordChecks(context, owner.sessionId);
    return recordFactor(context, visit, owner, spent.factor);
  }
  if (spent.reason === "wrong_code") {
    recordEvent(context, visit, owner.userId, "denied", ACTION);
    return { status: 400, result: parsed.refuse({ fieldErrors: { code: CODE_ERRORS.wrong_code } }) };
  }
  recordEvent(context, visit, owner.userId, "limited", ACTION);
  const { status, headers, text } = tooMany(spent.retryAfterSeconds);
  return { status, headers, result: parsed.refuse({ message: text }) };
}

async function submitPasskey(context: AppLoadContext, visit: Visit, owner: Owner, form: FormData): Promise<Submitted> {
  const use = { purpose: "confirm", userId: owner.userId } as const;
  const checked = await checkPasskey(context, visit, use, readPasskeyProof(form, visit));
  if (checked.ok) return recordFactor(context, visit, owner, "passkey");
  recordEvent(context, visit, owner.userId, "denied", ACTION);
  return { status: 400, result: { intent: "passkey", ok: false, message: PASSKEY_ERRORS[checked.reason] } };
}

async function recordFactor(
  context: AppLoadContext,
  visit: Visit,
  owner: Owner,
  factor: CodeFactor | "passkey",
): Promise<Submitted> {
  await recordSecondFactor(context.db, owner, "used");
  const { recoveryCodesLeft: left } = await factorsOf(context.db, owner.userId);
  await announceUse(context, visit, owner.userId, { factor, left });
  return { status: 200, result: { intent: factor === "passkey" ? "passkey" : "code", ok: true } };
}

const ACTION = { action: "confirm_identity" } as const;
