import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { profiles, users } from "#app/db/schema.server.ts";

export async function readAccount(db: Db, userId: string) {
  const [account] = await db
    .select({ id: users.id, email: profiles.email, fullName: profiles.fullName, createdAt: users.createdAt })
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(eq(users.id, userId))
    .limit(1);
  if (!account) throw new Error("the account is gone");
  return account;
}

export async function changeName(db: Db, userId: string, fullName: string): Promise<void> {
  await db.update(profiles).set({ fullName }).where(eq(profiles.userId, userId));
}
