import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { profiles, tempMysqlPasswords, users, wallets } from "#app/db/schema.server.ts";
import { checkCredentials } from "#tests/workerd/new-account.ts";
import { judgeLegacyRow, type LegacyAccount, type LegacyRow, storeLegacyAccounts } from "./legacy-import.server.ts";

const db = connect(env.DB);
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";

test("imports an account that logs in with its old password", async () => {
  const account = accountOf({
    email: " Old@Test.example ",
    hash: HASH,
    fullName: "Ada",
    createdAt: "2019-03-02 10:11:12",
  });
  expect(await storeLegacyAccounts(env.DB, [account])).toEqual({ stored: 1, closed: [], taken: [] });
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  expect(user).toMatchObject({ email: "Old@test.example", passwordHash: null, createdAt: 1_551_521_472_000 });
  expect(await db.select().from(wallets).where(eq(wallets.userId, account.id))).toHaveLength(1);
  expect(await checkCredentials(db, { email: "old@test.example", password: "rasmuslerdorf" })).toMatchObject({
    how: "migrated",
  });
});

test("imports each account once, and leaves migrated and new accounts unchanged on a second run", async () => {
  const batch = [1, 2, 3].map((n) => accountOf({ email: `twice${n}@test.example`, hash: HASH }));
  const own = await createAccount(db, { email: "own@test.example", password: "a long password", fullName: "Own" });
  expect(await storeLegacyAccounts(env.DB, batch)).toMatchObject({ stored: 3 });
  await checkCredentials(db, { email: "twice1@test.example", password: "rasmuslerdorf" });
  const again = [1, 2, 3, 4].map((n) => accountOf({ email: `TWICE${n}@test.example`, hash: HASH }));
  const repeated = [...again, accountOf({ email: "own@test.example", hash: HASH })];
  expect(await storeLegacyAccounts(env.DB, repeated)).toEqual({ stored: 1, closed: [], taken: ["own@test.example"] });
  const migrated = await db
    .select()
    .from(tempMysqlPasswords)
    .where(eq(tempMysqlPasswords.userId, batch[0]?.id ?? ""));
  expect(migrated).toMatchObject([{ migrated: true, mysqlPasswordHash: null }]);
  const [profile] = await db.select().from(profiles).where(eq(profiles.email, "own@test.example"));
  expect(profile).toMatchObject({ userId: own.ok && own.userId, fullName: "Own" });
});

test("gives the reason for each row that can't be imported", () => {
  const why = (row: LegacyRow) => {
    const judged = judgeLegacyRow(row, 0);
    return judged.ok ? "imported" : judged.why;
  };
  expect(why({ hash: HASH })).toBe("no email address");
  expect(why({ email: "nobody", hash: HASH })).toBe("not an email address");
  expect(why({ email: "a@b.example" })).toBe("no password hash");
  expect(why({ email: "a@b.example", hash: "5f4dcc3b5aa765d61d8327deb882cf99" })).toBe("Illegal hash length: 32 != 60");
  expect(why({ email: "a@b.example", hash: HASH.replace("$07$", "$03$") })).toBe("Illegal number of rounds (4-31): 3");
  expect(why({ email: "a@b.example", hash: ` ${HASH}\n`, createdAt: "0000-00-00 00:00:00" })).toBe("imported");
});

test("keeps a name of a hundred characters, and no half of one that is encoded as two", () => {
  const named = (fullName?: string) => {
    const row = { email: " Ada@b.example ", hash: ` ${HASH} ` };
    return accountOf(fullName === undefined ? row : { ...row, fullName });
  };
  expect(named("Ada\n\u202eLove\u200blace").fullName).toBe("Ada Lovelace");
  expect(named(` ${"x".repeat(101)} `).fullName).toBe("x".repeat(100));
  expect(named(`${"x".repeat(99)}😀`).fullName).toBe("x".repeat(99));
  expect(named(`${"x".repeat(98)}e\u0301\u0302s`).fullName).toBe("x".repeat(98));
  expect(named()).toMatchObject({ fullName: "", email: "Ada@b.example", hash: HASH });
});

test("stores each account with its name and the confirmed address, all apart", async () => {
  const [ada, bob] = [
    accountOf({ email: `${crypto.randomUUID()}@test.example`, hash: HASH, fullName: "Ada", createdAt: "2019-03-02" }),
    accountOf({ email: `${crypto.randomUUID()}@test.example`, hash: HASH.replace("$07$", "$08$"), fullName: "Bob" }),
  ];
  expect(await storeLegacyAccounts(env.DB, [ada, bob])).toEqual({ stored: 2, closed: [], taken: [] });
  for (const { id, email, hash, fullName, createdAt } of [ada, bob]) {
    const [user] = await db.select().from(users).where(eq(users.id, id));
    expect(user).toMatchObject({
      email,
      passwordHash: null,
      createdAt,
      emailConfirmedAt: createdAt,
      suspendedAt: null,
    });
    const [profile] = await db.select().from(profiles).where(eq(profiles.userId, id));
    expect(profile).toEqual({ userId: id, email, fullName, role: "customer" });
    const [legacy] = await db.select().from(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, id));
    expect(legacy).toMatchObject({ mysqlPasswordHash: hash, migrated: false });
  }
  expect(await storeLegacyAccounts(env.DB, [])).toEqual({ stored: 0, closed: [], taken: [] });
});

test("stores no account again that was imported and deleted, in any case of its address, and names it", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  const [first, upper] = [accountOf({ email, hash: HASH }), accountOf({ email: email.toUpperCase(), hash: HASH })];
  const fresh = accountOf({ email: `new-${email}`, hash: HASH });
  await storeLegacyAccounts(env.DB, [first]);
  // Nothing is reported for an account that exists already.
  expect(await storeLegacyAccounts(env.DB, [upper])).toEqual({ stored: 0, closed: [], taken: [] });
  await db.delete(users).where(eq(users.id, first.id));
  expect(await storeLegacyAccounts(env.DB, [upper, fresh])).toEqual({ stored: 1, closed: [upper.email], taken: [] });
  expect(await db.$count(users, eq(users.email, email))).toBe(0);
  expect(await db.$count(profiles, eq(profiles.userId, fresh.id))).toBe(1);
});

function accountOf(row: LegacyRow): LegacyAccount {
  const judged = judgeLegacyRow(row, Date.now());
  if (!judged.ok) throw new Error(judged.why);
  return judged.account;
}
