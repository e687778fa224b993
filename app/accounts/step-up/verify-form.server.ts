import type { AppLoadContext } from "@remix-run/cloudflare";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { spendFactorCode } from "#app/accounts/factors/factor-code.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { proofCodeInput, proofPasswordInput } from "#app/accounts/forms/account-input.ts";
import { forgetPasswordChecks, limitPasswordChecks, tooMany } from "#app/accounts/password/attempts.server.ts";
import { withHashing } from "#app/accounts/password/hash-queue.server.ts";
import { WRONG_PASSWORD } from "#app/accounts/password/password-texts.ts";
import { verifiedHash } from "#app/accounts/password/verified-password.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import type { ProofMethods, ProofResult } from "./proof-result.ts";
import { recordPasswordProof, recordProof } from "./recent-proof.server.ts";

export const WRONG_CODE =
  "This code is wrong or was used before. Enter the newest code of your app, or an unused recovery code.";

type Submitted = { status: number; result: ProofResult; headers?: Record<string, string> };
type Owner = Pick<Viewer, "userId" | "sessionId">;

/** Returns what an account's owner can prove who they are with, besides the password. */
export async function proofMethodsOf(db: Db, userId: string): Promise<ProofMethods> {
  const { passkeys, hasTotp, recoveryCodesLeft } = await factorsOf(db, userId);
  return { hasPasskeys: passkeys.length > 0, hasCodes: hasTotp || recoveryCodesLeft > 0, hasTotp };
}

/**
 * Checks a password or a code that a signed-in person proves who they are with, and records it in this session alone.
 * Attempts count against the session, so that guesses with a stolen one don't keep the owner out.
 */
export async function submitVerifyForm(
  context: AppLoadContext,
  request: Request,
  owner: Owner,
  form: FormData,
): Promise<Submitted> {
  const isCode = formText(form, "intent") === "code";
  const parsed = isCode
    ? parseForm(form, proofCodeInput, { secrets: ["code"] })
    : parseForm(form, proofPasswordInput, { secrets: ["password"] });
  if (!parsed.ok) return { status: 400, result: parsed.result };
  const allowed = await limitPasswordChecks(context, owner.sessionId);
  if (!allowed.ok) {
    recordEvent(context, request, owner.userId, "limited", ACTION);
    return { ...allowed, result: parsed.refuse({ message: allowed.text }) };
  }
  const checked =
    "code" in parsed.input
      ? await checkCode(context, request, owner, parsed.input.code)
      : await checkPassword(context, request, owner, parsed.input.password);
  if (!checked.ok) {
    recordEvent(context, request, owner.userId, checked.status === 429 ? "limited" : "denied", ACTION);
    const { status, headers = {} } = checked;
    return { status, headers, result: parsed.refuse(checked.why) };
  }
  await forgetPasswordChecks(context, owner.sessionId);
  return { status: 200, result: { intent: formText(form, "intent"), ok: true } };
}

const ACTION = { action: "confirm_identity" };

type Checked =
  | { ok: true }
  | {
      ok: false;
      status: number;
      headers?: Record<string, string>;
      why: { message: string } | { fieldErrors: Record<string, string> };
    };

async function checkPassword(
  context: AppLoadContext,
  request: Request,
  owner: Owner,
  password: string,
): Promise<Checked> {
  const { db } = context;
  const hashed = await withHashing(context, request, (caller) => verifiedHash(db, owner.userId, password, caller));
  if (!hashed.ok) return { ...hashed, why: { message: hashed.text } };
  const verified = hashed.value;
  if (verified !== null && (await recordPasswordProof(db, owner, verified))) return { ok: true };
  return { ok: false, status: 400, why: { fieldErrors: { password: WRONG_PASSWORD } } };
}

async function checkCode(context: AppLoadContext, request: Request, owner: Owner, code: string): Promise<Checked> {
  const spent = await spendFactorCode(context, request, owner.userId, code);
  if (spent.ok) {
    if (spent.factor === "recovery_code") recordEvent(context, request, owner.userId, "recovery_code_used", ACTION);
    await recordProof(context.db, owner, { isFactor: true });
    return { ok: true };
  }
  if (spent.reason === "wrong_code") return { ok: false, status: 400, why: { fieldErrors: { code: WRONG_CODE } } };
  const { status, headers, text } = tooMany(spent.retryAfterSeconds);
  return { ok: false, status, headers, why: { message: text } };
}
