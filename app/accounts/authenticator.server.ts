import type { AppLoadContext } from "@remix-run/cloudflare";
import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { type LogInRefusal, logIn } from "./accounts.server.ts";
import { logInInput } from "./credentials.ts";

export class LogInRefused extends Error {
  override name = "LogInRefused";
  readonly reason: LogInRefusal;

  constructor(reason: LogInRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/** Answers the user's id for the posted e-mail and password, or throws `LogInRefused`. */
export async function authenticate(context: AppLoadContext, request: Request): Promise<string> {
  const strategy = new FormStrategy<string>(async ({ form }) => {
    const result = await logIn(context.db, logInInput.parse(Object.fromEntries(form)));
    if (!result.ok) throw new LogInRefused(result.reason);
    return result.userId;
  });
  return new Authenticator<string>().use(strategy).authenticate("form", request);
}
