import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { profiles, type Role, users, wallets } from "#app/db/schema.server.ts";

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

/** Creates an account without a password, which takes no time to hash. Its email address counts as confirmed by default. */
export async function accountWithoutPassword(
  given: Partial<typeof users.$inferInsert> & { role?: Role } = {},
): Promise<{ userId: string; email: string }> {
  const { role = "customer", ...columns } = given;
  const { id: userId = crypto.randomUUID() } = columns;
  const email = `${userId}@test.example`;
  const db = connect(env.DB);
  await db.batch([
    db.insert(users).values({ id: userId, email, createdAt: Date.now(), emailConfirmedAt: 1, ...columns }),
    db.insert(profiles).values({ userId, email, role }),
    db.insert(wallets).values({ userId }),
  ]);
  return { userId, email };
}

/** Stores an account with a hash that matches no password, without hashing one, which takes a tenth of a second. */
export async function storedAccount(
  role: Role = "customer",
  given: { passwordHash?: string | null; emailConfirmedAt?: number | null } = {},
): Promise<{ userId: string; email: string }> {
  const account = await accountWithoutPassword({ role, passwordHash: "a hash", createdAt: 1, ...given });
  const db = connect(env.DB);
  await db.update(profiles).set({ fullName: "Test Customer" }).where(eq(profiles.userId, account.userId));
  return account;
}
