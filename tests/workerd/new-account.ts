import { env } from "cloudflare:workers";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import type { Role } from "#app/db/schema.server.ts";

export const PASSWORD = "correct horse battery";

/** Creates an account with `PASSWORD` and a new email address, which counts as confirmed by default. */
export async function newAccount(
  role: Role = "customer",
  fullName = "Test Customer",
  emailConfirmedAt: number | null = 1,
): Promise<{ userId: string; email: string }> {
  const email = `${crypto.randomUUID()}@test.example`;
  const created = await createAccount(connect(env.DB), {
    email,
    password: PASSWORD,
    fullName,
    role,
    emailConfirmedAt,
  });
  if (!created.ok) throw new Error(created.reason);
  return { userId: created.userId, email };
}
