import { type BreachEnv, isBreachedPassword } from "./breached-passwords.server.ts";
import { isCommonPassword } from "./common-passwords.server.ts";
import { isMostlyContext, type PasswordOwner } from "./context-words.ts";
import type { WeakPassword } from "./password-texts.ts";

/** Returns why a new password is too easy to guess, or null. Asks nobody. */
export function guessableAs(password: string, owner: PasswordOwner): Exclude<WeakPassword, "breached_password"> | null {
  if (isCommonPassword(password)) return "common_password";
  return isMostlyContext(password, owner) ? "context_password" : null;
}

/** Returns why a new password is refused, or null. Its length is checked with the form. */
export async function weaknessOf(env: BreachEnv, password: string, owner: PasswordOwner): Promise<WeakPassword | null> {
  const guessable = guessableAs(password, owner);
  if (guessable) return guessable;
  return (await isBreachedPassword(env, password)) ? "breached_password" : null;
}
