import type { AppLoadContext } from "@remix-run/cloudflare";
import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { logInInput } from "#app/accounts/forms/account-input.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { logIn, type Refused, type SignedIn } from "./sign-in.server.ts";

/** `submission` is conform's, for the reply to the form. `result` is null if the form itself is invalid. */
export type LogInAttempt = {
  submission: ReturnType<typeof parseForm<LogInInput, unknown>>;
  result: SignedIn | Refused | null;
};

type LogInInput = { email: string; password: string };

/** Parses the log-in form and logs in with it. */
export function submitLogInForm(context: AppLoadContext, request: Request, form: FormData): Promise<LogInAttempt> {
  const strategy = new FormStrategy<LogInAttempt>(async ({ form: posted }) => {
    const submission = parseForm(posted, logInInput);
    if (submission.status !== "success") return { submission, result: null };
    return { submission, result: await logIn(context, request, submission.value) };
  });
  // remix-auth reads a request, and without a size limit: it gets the form that was read within one.
  const limited = new Request(request.url, { method: "POST", body: form });
  return new Authenticator<LogInAttempt>().use(strategy).authenticate("form", limited);
}
