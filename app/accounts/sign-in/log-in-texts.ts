import type { LogInHow, LogInRefusal } from "./check-credentials.server.ts";

const INVALID = "Invalid email or password. Please check your credentials and try again.";

/**
 * Returns the error text of the specification (sections 5 and 8). With the setting "uniform", every refusal that depends
 * on the account reads the same, so that nobody learns which emails exist or are not migrated yet. So it does with an
 * unknown setting, which a deployment refuses.
 */
export function logInErrorText(refusal: LogInRefusal, setting: string): string {
  const isUniform = setting !== "" && setting !== "spec";
  switch (refusal.reason) {
    case "unknown_email":
    case "already_migrated":
      return INVALID;
    case "no_legacy_password":
      return isUniform ? INVALID : "No legacy password found.";
    case "wrong_legacy_password":
      return isUniform ? INVALID : "Invalid password. Please enter your correct password to migrate your account.";
    case "legacy_check_failed":
      return isUniform ? INVALID : `Password check error: ${refusal.message}`;
    case "database_error":
      return `Database error: ${refusal.message}`;
    case "migration_failed":
      return `Failed to create auth user: ${refusal.message}`;
    case "migrated_not_signed_in":
      return "Migration successful but login failed. Please try logging in again.";
    case "failed":
      return "Authentication failed";
  }
  refusal satisfies never;
}

/** The toast after a log-in (section 8 of the specification). None if nothing was migrated. */
export const LOG_IN_TOASTS: Record<LogInHow, string | null> = {
  current: null,
  migrated: "Password successfully migrated! Welcome back!",
  migrated_meanwhile: "Welcome back! Password migration complete.",
};

/** Shown after a correct password or passkey only, so that it doesn't tell which addresses have accounts. */
export const SUSPENDED_TEXT = "This account is suspended. Contact support.";
