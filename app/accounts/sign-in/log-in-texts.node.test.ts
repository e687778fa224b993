import { expect, test } from "vitest";
import type { LogInRefusal } from "./check-credentials.server.ts";
import { logInErrorText } from "./log-in-texts.ts";

const INVALID = "Invalid email or password. Please check your credentials and try again.";
const message = "a message";
const TEXTS: [refusal: LogInRefusal, spec: string, uniform: string][] = [
  [{ reason: "unknown_email" }, INVALID, INVALID],
  [{ reason: "already_migrated" }, INVALID, INVALID],
  [{ reason: "no_legacy_password" }, "No legacy password found.", INVALID],
  [
    { reason: "wrong_legacy_password" },
    "Invalid password. Please enter your correct password to migrate your account.",
    INVALID,
  ],
  [{ reason: "legacy_check_failed", message }, "Password check error: a message", INVALID],
  [{ reason: "database_error", message }, "Database error: a message", "Database error: a message"],
  [
    { reason: "migration_failed", message },
    "Failed to create auth user: a message",
    "Failed to create auth user: a message",
  ],
  [
    { reason: "migrated_not_signed_in" },
    "Migration successful but login failed. Please try logging in again.",
    "Migration successful but login failed. Please try logging in again.",
  ],
  [{ reason: "failed" }, "Authentication failed", "Authentication failed"],
];

test.for(TEXTS)("explains %o as the specification does, or alike for every account", ([refusal, spec, uniform]) => {
  const settings = ["", "spec", "uniform", "unknown"];
  expect(settings.map((setting) => logInErrorText(refusal, setting))).toEqual([spec, spec, uniform, uniform]);
});
