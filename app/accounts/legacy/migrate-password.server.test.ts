import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword, verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { migratePassword } from "./migrate-password.server.ts";

const PASSWORD = "rasmuslerdorf";
const HASH = "a hash that was checked";
const caller = unlimitedCaller();

test("replaces the legacy hash that was checked, and no other account's", async () => {
  const [account, other] = [await legacyAccount(), await legacyAccount()];
  const migrated = await migrate(account);
  expect(migrated).toMatchObject({ ok: true, how: "migrated" });
  const { passwordHash } = await stateOf(account);
  expect(migrated.ok && migrated.passwordHash).toBe(passwordHash);
  expect(await verifyPassword(PASSWORD, passwordHash ?? null, caller)).toBe(true);
  expect(await stateOf(account)).toMatchObject({ migrated: true, legacyHash: null });
  expect(await stateOf(other)).toEqual({ passwordHash: null, migrated: false, legacyHash: HASH });
});

test.for([
  { what: "was migrated and closed", legacy: { migrated: true, mysqlPasswordHash: null } },
  { what: "got another legacy hash", legacy: { mysqlPasswordHash: "another" } },
])("changes nothing in an account that $what meanwhile", async ({ legacy }) => {
  const account = await legacyAccount();
  await db.update(tempMysqlPasswords).set(legacy).where(eq(tempMysqlPasswords.userId, account.userId));
  const before = await stateOf(account);
  expect(await migrate(account)).toEqual({ ok: false, reason: "migrated_not_signed_in" });
  expect(await stateOf(account)).toEqual(before);
});

test.for([
  { stored: "the same", answer: { ok: true, how: "migrated_meanwhile" } },
  { stored: "another", answer: { ok: false, reason: "migrated_not_signed_in" } },
])("compares with the password that was stored meanwhile, if it is $stored", async ({ stored, answer }) => {
  const account = await legacyAccount();
  const passwordHash = await hashPassword(stored === "the same" ? PASSWORD : "another password", caller);
  await db.update(users).set({ passwordHash }).where(eq(users.id, account.userId));
  const compared = await migrate(account);
  expect(compared).toMatchObject(answer);
  if (compared.ok) expect(compared.passwordHash).toBe(passwordHash);
  expect((await stateOf(account)).passwordHash).toBe(passwordHash);
});

test("says what the database said if it fails", async () => {
  const account = await legacyAccount();
  const failing = Object.assign(Object.create(db), {
    batch: () => Promise.reject(new Error("D1_ERROR: network connection lost")),
  });
  expect(await migrate(account, failing)).toEqual({
    ok: false,
    reason: "migration_failed",
    message: expect.stringMatching(/\w/),
  });
  expect(await stateOf(account)).toMatchObject({ passwordHash: null, legacyHash: HASH });
});

async function legacyAccount() {
  const { userId } = await accountWithoutPassword();
  await db.insert(tempMysqlPasswords).values({ userId, mysqlPasswordHash: HASH });
  return { userId };
}

function migrate({ userId }: { userId: string }, through = db) {
  return migratePassword(through, { userId, password: PASSWORD, legacyHash: HASH }, caller);
}

async function stateOf({ userId }: { userId: string }) {
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  const [legacy] = await db.select().from(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, userId));
  return {
    passwordHash: user?.passwordHash,
    migrated: legacy?.migrated,
    legacyHash: legacy?.mysqlPasswordHash,
  };
}
