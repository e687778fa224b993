import type { AppLoadContext } from "@remix-run/cloudflare";
import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { logInInput } from "#app/accounts/forms/account-input.ts";
import { parseForm, type RefusedForm } from "#app/http/requests/read-form.ts";
import { logIn, type SignedIn } from "./sign-in.server.ts";

/** `refused` is what the form shows. */
export type LogInAttempt =
  | SignedIn
  | { ok: false; refused: RefusedForm; status: number; headers: Record<string, string> };

/** Parses the log-in form and logs in with it. */
export function submitLogInForm(context: AppLoadContext, request: Request, form: FormData): Promise<LogInAttempt> {
  const strategy = new FormStrategy<LogInAttempt>(async ({ form: posted }) => {
    const parsed = parseForm(posted, logInInput, { secrets: ["password"] });
    if (!parsed.ok) return { ok: false, refused: parsed.result, status: 400, headers: {} };
    const signedIn = await logIn(context, request, parsed.input);
    if (signedIn.ok) return signedIn;
    const { text, status, headers } = signedIn;
    return { ok: false, refused: parsed.refuse({ message: text }), status, headers };
  });
  // remix-auth reads a request, and without a size limit: it gets the form that was read within one.
  const limited = new Request(request.url, { method: "POST", body: form });
  return new Authenticator<LogInAttempt>().use(strategy).authenticate("form", limited);
}
