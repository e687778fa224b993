import { type AppLoadContext, redirect, type TypedResponse } from "@remix-run/cloudflare";
import { Authenticator } from "remix-auth";
import { Strategy } from "remix-auth/strategy";
import { type PasskeyProof, readPasskeyProof } from "#app/accounts/factors/passkey-form.server.ts";
import { factorCodeInput, logInInput } from "#app/accounts/forms/account-input.ts";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { secondStepCookie, signedInCookies, type Visit } from "#app/accounts/visit/visit.server.ts";
import type { Role } from "#app/db/schema.server.ts";
import { clearCookie, flashCookie } from "#app/http/cookies.ts";
import { formText, parseForm, type RefusedForm } from "#app/http/requests/read-form.ts";
import { AFTER_SIGN_IN, authPath } from "./auth-page.tsx";
import type { SignedIn } from "./complete-sign-in.server.ts";
import {
  type FactorProof,
  logInByPasskey,
  OVER,
  passSecondStep,
  readSecondStep,
  type SecondStep,
  type StepOfSession,
} from "./second-step.server.ts";
import { logIn, type PendingSecondStep } from "./sign-in.server.ts";

/** The door of the pages that log in: each way is a strategy. The token endpoint has no forms, and a door of its own. */

/** A refused log-in, with what the specification's log-in returns: `success` and `error`, its text. */
export type RefusedLogIn = RefusedForm & { success: false; error: string };
/** `refused` is the form with its errors. `isOver`: the log-in has to start again with the password. */
type RefusedAttempt = {
  ok: false;
  refused: RefusedLogIn;
  status: number;
  headers: Record<string, string>;
  isOver: boolean;
};
type Passed = SignedIn | PendingSecondStep | StepOfSession;
export type LogInAttempt = Passed | RefusedAttempt;

/** Input of a strategy. `refuse` shows a text in the form that sent the proof. */
type Check<Proof> = { context: AppLoadContext; visit: Visit; proof: Proof; refuse: (text: string) => RefusedForm };

/** A posted log-in with what its page has read of it. The form was read within its limit, so that the body is used up. */
export type PostedLogIn = Request & { context: AppLoadContext; visit: Visit; form: FormData };

class PasswordStrategy extends Strategy<LogInAttempt, Check<{ email: string; password: string }>> {
  override name = "password";

  override async authenticate({ context, visit, form }: PostedLogIn): Promise<LogInAttempt> {
    const parsed = parseForm(form, logInInput, { secrets: ["password"] });
    if (!parsed.ok) return refusedInput(parsed.result);
    return this.verify({ context, visit, proof: parsed.input, refuse: (message) => parsed.refuse({ message }) });
  }
}

class PasskeyStrategy extends Strategy<LogInAttempt, Check<PasskeyProof>> {
  override name = "passkey";

  override authenticate({ context, visit, form }: PostedLogIn): Promise<LogInAttempt> {
    return this.verify({ context, visit, proof: readPasskeyProof(form, visit), refuse: refusePasskey });
  }
}

class SecondStepStrategy extends Strategy<LogInAttempt, Check<FactorProof> & { step: SecondStep }> {
  override name = "second-step";

  override async authenticate(posted: PostedLogIn): Promise<LogInAttempt> {
    const { context, visit, form } = posted;
    const step = await secondStepOf(posted, context, visit);
    if (!step) return refusedAttempt(OVER, refusePasskey);
    if (formText(form, "intent") === "passkey") {
      const proof = { kind: "passkey", ...readPasskeyProof(form, visit) } as const;
      return this.verify({ context, visit, step, proof, refuse: refusePasskey });
    }
    const parsed = parseForm(form, factorCodeInput, { secrets: ["code"] });
    if (!parsed.ok) return refusedInput(parsed.result);
    const proof = { kind: "code", code: parsed.input.code } as const;
    return this.verify({ context, visit, step, proof, refuse: (code) => parsed.refuse({ fieldErrors: { code } }) });
  }
}

/** Returns the second step that this log-in still needs, or null. */
export function secondStepOf(request: Request, context: AppLoadContext, visit: Visit): Promise<SecondStep | null> {
  return readSecondStep(context, visit, () => readHeldViewer(request, context));
}

const door = new Authenticator<LogInAttempt>()
  .use(
    new PasswordStrategy(async ({ context, visit, proof, refuse }) =>
      attemptOf(await logIn(context, visit, proof), refuse),
    ),
  )
  .use(
    new PasskeyStrategy(async ({ context, visit, proof, refuse }) =>
      attemptOf(await logInByPasskey(context, visit, proof), refuse),
    ),
  )
  .use(
    new SecondStepStrategy(async ({ context, visit, step, proof, refuse }) =>
      attemptOf(await passSecondStep(context, visit, step, proof), refuse),
    ),
  );

/**
 * Takes one way in and leads on: to the console or page behind the log-in, or to the second step. The strategy is called
 * here because the library's `authenticate` copies the request, which throws once its body was read.
 */
export async function logInBy(
  way: "password" | "passkey" | "second-step",
  posted: PostedLogIn,
  redirectTo: string,
): Promise<TypedResponse<never> | RefusedAttempt> {
  const strategy = door.get(way);
  if (!strategy) throw new ReferenceError(`There is no strategy for ${way}`);
  const attempt = await strategy.authenticate(posted);
  if (!attempt.ok) return attempt;
  const cookies = await cookiesAfter(attempt, posted, way);
  const headers = new Headers(cookies.map((cookie) => ["Set-Cookie", cookie]));
  if (attempt.isPending) return redirect(authPath("/auth/second-step", redirectTo), { headers });
  return redirect(pathAfterLogIn(attempt.role, redirectTo), { headers });
}

async function cookiesAfter(
  passed: Passed,
  { context, visit }: Pick<PostedLogIn, "context" | "visit">,
  way: string,
): Promise<string[]> {
  if (passed.isPending) return [await secondStepCookie(visit).serialize(passed.token)];
  if (passed.sessionId === null) return [];
  return [
    ...(way === "second-step" ? [await clearCookie(secondStepCookie(visit))] : []),
    ...(await signedInCookies(context.env, visit, passed)),
    ...(passed.toast ? [await flashCookie(visit, passed.toast)] : []),
  ];
}

/** The first page of the console for each role of staff. */
const CONSOLE = { agent: "/admin", admin: "/admin/today" };

/** Returns where a log-in leads: staff who were on the way to no other page start at their console. */
export function pathAfterLogIn(role: Role, redirectTo: string): string {
  return role !== "customer" && redirectTo === AFTER_SIGN_IN ? CONSOLE[role] : redirectTo;
}

type Refusal = { ok: false; status: number; text: string; headers: Record<string, string>; isOver?: boolean };

function attemptOf<Done extends Passed>(
  result: Done | Refusal,
  refuse: Check<unknown>["refuse"],
): Done | RefusedAttempt {
  return result.ok ? result : refusedAttempt(result, refuse);
}

function refusedAttempt(
  { status, text, headers, isOver = false }: Refusal,
  refuse: Check<unknown>["refuse"],
): RefusedAttempt {
  return { ok: false, refused: refusedLogIn(refuse(text)), status, headers, isOver };
}

function refusedInput(form: RefusedForm): RefusedAttempt {
  return { ok: false, refused: refusedLogIn(form), status: 400, headers: {}, isOver: false };
}

/** Returns the result of a form that was refused, as a whole or because of a field. */
function refusedLogIn(form: RefusedForm): RefusedLogIn {
  const error = form.message ?? Object.values(form.fieldErrors ?? {})[0] ?? "";
  return { ...form, success: false, error };
}

function refusePasskey(text: string): RefusedForm {
  return { intent: "passkey", ok: false, message: text, values: {} };
}
