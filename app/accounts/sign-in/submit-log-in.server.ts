import type { AppLoadContext } from "@remix-run/cloudflare";
import { Authenticator } from "remix-auth";
import type { Strategy } from "remix-auth/strategy";
import { FormStrategy } from "remix-auth-form";
import { readBrowser } from "#app/accounts/factors/passkey-challenges.server.ts";
import { readPasskeyProof } from "#app/accounts/factors/passkey-form.server.ts";
import { logInInput } from "#app/accounts/forms/account-input.ts";
import { formText, parseForm, type RefusedForm } from "#app/http/requests/read-form.ts";
import type { SignedIn } from "./complete-sign-in.server.ts";
import { logInByPasskey } from "./second-step.server.ts";
import { logIn, type PendingSecondStep } from "./sign-in.server.ts";

/** A refused log-in, with what the specification's log-in returns: `success` and `error`, its text. */
export type RefusedLogIn = RefusedForm & { success: false; error: string };

/** `refused` is the form with its errors. */
export type LogInAttempt =
  | SignedIn
  | PendingSecondStep
  | { ok: false; refused: RefusedLogIn; status: number; headers: Record<string, string> };

/** Logs in with the log-in form: a passkey's response, or an email and a password. */
export function submitLogInForm(context: AppLoadContext, request: Request, form: FormData): Promise<LogInAttempt> {
  if (formText(form, "intent") === "passkey") return submitPasskey(context, request, form);
  const strategy = new ReadFormStrategy<LogInAttempt>(form, async ({ form: posted }) => {
    const parsed = parseForm(posted, logInInput, { secrets: ["password"] });
    if (!parsed.ok) return { ok: false, refused: refusedLogIn(parsed.result), status: 400, headers: {} };
    const signedIn = await logIn(context, request, parsed.input);
    if (signedIn.ok) return signedIn;
    const { text, status, headers } = signedIn;
    return { ok: false, refused: refusedLogIn(parsed.refuse({ message: text })), status, headers };
  });
  // A request without the body, which is used up: the authenticator copies the request.
  return new Authenticator<LogInAttempt>().use(strategy).authenticate("form", new Request(request.url));
}

async function submitPasskey(context: AppLoadContext, request: Request, form: FormData): Promise<LogInAttempt> {
  const browser = await readBrowser(context.env, request);
  const signedIn = await logInByPasskey(context, request, readPasskeyProof(form), browser);
  if (signedIn.ok) return signedIn;
  const { text, status, headers } = signedIn;
  return { ok: false, refused: refusedPasskey(text), status, headers };
}

/** Returns the result of a log-in's form that was refused, as a whole or because of a field. */
export function refusedLogIn(form: RefusedForm): RefusedLogIn {
  const error = form.message ?? Object.values(form.fieldErrors ?? {})[0] ?? "";
  return { ...form, success: false, error };
}

export function refusedPasskey(text: string): RefusedLogIn {
  return refusedLogIn({ intent: "passkey", ok: false, message: text, values: {} });
}

/** A form strategy for a form that `readForm` has read. `FormStrategy` itself reads a request without a size limit. */
class ReadFormStrategy<User> extends FormStrategy<User> {
  readonly #form: FormData;

  constructor(form: FormData, verify: Strategy.VerifyFunction<User, FormStrategy.VerifyOptions>) {
    super(verify);
    this.#form = form;
  }

  override authenticate(request: Request): Promise<User> {
    return this.verify({ form: this.#form, request });
  }
}
