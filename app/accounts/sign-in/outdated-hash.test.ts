import { env } from "cloudflare:workers";
import { scryptSync } from "node:crypto";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { isOutdatedHash } from "#app/accounts/password/password-hash.server.ts";
import { connect } from "#app/db/db.server.ts";
import { users } from "#app/db/schema.server.ts";
import { checkCredentials, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { startVerifiedSession } from "#tests/workerd/signed-in-account.ts";

const db = connect(env.DB);

test("replaces a hash of older parameters at log-in, and lets every parallel log-in in", async () => {
  const { userId, email } = await newAccount();
  const older = olderHash(PASSWORD);
  await db.update(users).set({ passwordHash: older }).where(eq(users.id, userId));
  const checked = await Promise.all([1, 2, 3].map(() => checkCredentials(db, { email, password: PASSWORD })));
  const stored = await storedHash(userId);
  expect(isOutdatedHash(older)).toBe(true);
  expect(isOutdatedHash(stored ?? "")).toBe(false);
  for (const one of checked) {
    expect(one).toEqual({ ok: true, userId, how: "current", passwordHash: stored });
    if (one.ok) expect(await startVerifiedSession(db, one)).not.toBeNull();
  }
  await checkCredentials(db, { email, password: PASSWORD });
  expect(await storedHash(userId)).toBe(stored);
});

test("keeps a hash of older parameters when the password is wrong", async () => {
  const { userId, email } = await newAccount();
  const older = olderHash(PASSWORD);
  await db.update(users).set({ passwordHash: older }).where(eq(users.id, userId));
  expect(await checkCredentials(db, { email, password: `${PASSWORD}!` })).toMatchObject({ ok: false });
  expect(await storedHash(userId)).toBe(older);
});

function olderHash(password: string): string {
  const [salt, cost] = [Buffer.alloc(16, 1), { N: 8, r: 1, p: 1 }];
  const key = scryptSync(password, salt, 32, cost);
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64"), key.toString("base64")].join("$");
}

async function storedHash(userId: string): Promise<string | null | undefined> {
  const [user] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  return user?.passwordHash;
}
