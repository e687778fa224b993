import type { AppLoadContext } from "@remix-run/cloudflare";
import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { logInInput } from "#app/accounts/forms/account-input.ts";
import { type Refused, type SignedIn, signIn } from "./sign-in.server.ts";

/** Signs in with the posted email and password. */
export function authenticate(
  context: AppLoadContext,
  request: Request,
  input: { email: string; password: string },
): Promise<SignedIn | Refused> {
  const strategy = new FormStrategy<SignedIn | Refused>(({ form }) =>
    signIn(context, request, logInInput.parse(Object.fromEntries(form))),
  );
  // The strategy reads a form by itself, without a limit: it gets what was read and parsed within one.
  const posted = new Request(request.url, { method: "POST", body: new URLSearchParams(input) });
  return new Authenticator<SignedIn | Refused>().use(strategy).authenticate("form", posted);
}
