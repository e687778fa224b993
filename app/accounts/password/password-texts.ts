import { PRODUCT_NAME } from "#app/product.ts";

export const WRONG_PASSWORD = "Incorrect password.";

/** Why a new password is refused. */
export type WeakPassword = "common_password" | "context_password" | "breached_password";

export const WEAK_PASSWORD_TEXTS: Record<WeakPassword, string> = {
  common_password: "This password is too common. Choose another one.",
  context_password: `This password is mostly your name, your email address or "${PRODUCT_NAME}". Choose another one.`,
  breached_password: "This password appears in lists of leaked passwords. Choose another one.",
};

/** The reasons of @supabase/auth-js's AuthWeakPasswordError. */
export const WEAK_PASSWORD_REASONS: Record<WeakPassword, { reasons: string[] }> = {
  common_password: { reasons: ["pwned"] },
  context_password: { reasons: ["characters"] },
  breached_password: { reasons: ["pwned"] },
};
