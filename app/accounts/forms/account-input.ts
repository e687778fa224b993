import { z } from "zod";
import { EMAIL_MAX_CHARACTERS, lookupEmail, readExistingEmail, readTypedEmail } from "#app/email-address.ts";
import { cleanName } from "#app/http/clean-text.ts";

const PASSWORD_MIN_CHARACTERS = 8;
const PASSWORD_MAX_CHARACTERS = 128;

const emailText = z
  .string({ error: "Enter your email address" })
  .trim()
  .min(1, "Enter your email address")
  .max(EMAIL_MAX_CHARACTERS, "This email address is too long");

/** An address, in the form to store and compare. `read` says which addresses are taken. */
function emailRead(read: (text: string) => string | null) {
  return emailText.transform(read).pipe(z.string({ error: "Enter an email address like name@example.com" }));
}

const newEmail = emailRead(readTypedEmail);
/** The address of an account that may be there: its owner may have got it in another system. */
const knownEmail = emailRead(readExistingEmail);

export const logInInput = z.object({
  // Whatever is no address is of no account: the log-in says so, in the words of the specification.
  email: emailText.transform(lookupEmail),
  password: z
    .string({ error: "Enter your password" })
    .min(1, "Enter your password")
    .max(1000, "This password is too long"),
});

const fullName = z.string().transform(cleanName).pipe(z.string().max(100, "Use at most 100 characters")).default("");

const newPassword = z
  .string({ error: "Choose a password" })
  .min(1, "Choose a password")
  .min(PASSWORD_MIN_CHARACTERS, `Use at least ${PASSWORD_MIN_CHARACTERS} characters`)
  .max(PASSWORD_MAX_CHARACTERS, `Use at most ${PASSWORD_MAX_CHARACTERS} characters`);

const currentPassword = z
  .string({ error: "Enter your current password" })
  .min(1, "Enter your current password")
  .max(1000, "This password is too long");

export const signUpInput = z.object({ fullName, email: newEmail, password: newPassword });

export const requestResetInput = z.object({ email: knownEmail });
export const resetInput = z.object({ token: z.string().max(100), password: newPassword });

export const nameInput = z.object({ fullName });
export const passwordChangeInput = z.object({
  current: currentPassword,
  next: newPassword,
  /** A checkbox: whether to revoke API keys and turn off webhooks too. */
  endAccess: z
    .string()
    .optional()
    .transform((checked) => checked !== undefined),
});
export const emailChangeInput = z.object({ newEmail, password: currentPassword });
export const deletionInput = z.object({ password: currentPassword });
export const proofPasswordInput = z.object({ password: currentPassword });
export const proofCodeInput = z.object({
  code: z.string({ error: "Enter a code" }).trim().min(1, "Enter a code").max(100, "This code is too long"),
});

export const factorCodeInput = z.object({
  code: z.string({ error: "Enter a code" }).trim().min(1, "Enter a code").max(60, "This is longer than any code"),
});

const passkeyName = z
  .string({ error: "Enter a name" })
  .transform(cleanName)
  .pipe(z.string().min(1, "Enter a name").max(60, "Use at most 60 characters"));
const checkbox = z.literal("on").optional();
export const newPasskeyInput = z.object({ name: passkeyName, isSecondFactor: checkbox });
export const passkeyInput = newPasskeyInput.extend({ id: z.string().min(1).max(1400) });
/** Fields that the npm client @supabase/auth-js sends. The code that verifies the credential checks its shape. */
export const passkeyProofInput = z.object({ challenge_id: z.string(), credential: z.unknown() });

/** Schemas of the forms that are also checked in the browser. */
export const ACCOUNT_INPUTS = {
  logIn: logInInput,
  signUp: signUpInput,
  requestReset: requestResetInput,
  reset: resetInput,
  name: nameInput,
  passwordChange: passwordChangeInput,
  emailChange: emailChangeInput,
  deletion: deletionInput,
};

export type AccountInput = keyof typeof ACCOUNT_INPUTS;
export type AccountInputField<Input extends AccountInput> = keyof z.input<(typeof ACCOUNT_INPUTS)[Input]> & string;
