export const PASSKEY_ERRORS = {
  expired: "That took too long. Try again.",
  unknown_passkey: "We don't know this passkey. It may have been removed from the account.",
  refused: "This passkey couldn't be verified. Try again, or use another way to log in.",
} as const;

export const CODE_ERRORS = {
  wrong_code: "This code is wrong or was used before. Enter the newest code from your app, or an unused recovery code.",
  wrong_setup_code: "This code is wrong. Enter the newest code from your app, and check the time of your device.",
} as const;

export const PASSWORD_NOT_ENOUGH = "Use a passkey or a code instead.";

/** Says what to do without any factor, in a browser that can't use passkeys or for someone who has lost them. */
export const NO_FACTOR_HERE =
  "Use a browser and device with one of your passkeys. If you have lost them, ask our support team.";

export const LAST_FACTOR = "Your role requires a second step. Add another passkey or an authenticator app first.";

/** Says why the password grant, or a session that the password alone started, is not enough. */
export const SECOND_FACTOR_NEEDED = "This account asks for a second factor. Log in with a passkey, or on the website.";
