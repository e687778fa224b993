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

const NOW = Date.UTC(2026, 10, 23, 4);
const DAY_MS = 24 * 60 * 60_000;

test.for<[text: string | undefined, time: number]>([
  [undefined, NOW],
  ["", NOW],
  [" ", NOW],
  ["0", NOW],
  ["0000", NOW],
  ["0000-00-00", NOW],
  ["0000-00-00 00:00:00", NOW],
  ["2019-03-02", Date.UTC(2019, 2, 2)],
  [" 2019-03-02 10:11 ", Date.UTC(2019, 2, 2, 10, 11)],
  ["2019-03-02 10:11:12", Date.UTC(2019, 2, 2, 10, 11, 12)],
  ["2019-03-02T10:11:12.500", Date.UTC(2019, 2, 2, 10, 11, 12, 500)],
  ["2019-03-02T10:11:12Z", Date.UTC(2019, 2, 2, 10, 11, 12)],
  ["2019-03-02T10:11:12+02:00", Date.UTC(2019, 2, 2, 8, 11, 12)],
  ["2019-03-02 10:11:12 -02:00", Date.UTC(2019, 2, 2, 12, 11, 12)],
  ["999999999", 999_999_999_000],
  ["1551521472", 1_551_521_472_000],
  ["999999999999", 999_999_999_999],
  ["1551521472000", 1_551_521_472_000],
  ["1990-01-01", Date.UTC(1990, 0)],
  [String(NOW + DAY_MS), NOW + DAY_MS],
])("reads the time of sign-up %j", ([createdAt, time]) => {
  const row = { email: "a@b.example", hash: HASH };
  const judged = judgeLegacyRow(createdAt === undefined ? row : { ...row, createdAt }, NOW);
  expect(judged).toMatchObject({ ok: true, account: { createdAt: time } });
});

test.for<[text: string, why: string]>([
  ["yesterday", "not a time of sign-up: yesterday"],
  ["2019-13-02", "not a time of sign-up: 2019-13-02"],
  ["02.03.2019", "not a time of sign-up: 02.03.2019"],
  ["2019-03-02 10", "not a time of sign-up: 2019-03-02 10"],
  ["12345678", "not a time of sign-up: 12345678"],
  ["12345678901", "not a time of sign-up: 12345678901"],
  ["12345678901234", "not a time of sign-up: 12345678901234"],
  ["x".repeat(50), `not a time of sign-up: ${"x".repeat(40)}`],
  ["1989-12-31 23:59:59", "signed up on 1989-12-31, which can't be"],
  [String(NOW + DAY_MS + 1), "signed up on 2026-11-24, which can't be"],
])("refuses the time of sign-up %j", ([createdAt, why]) => {
  expect(judgeLegacyRow({ email: "a@b.example", hash: HASH, createdAt }, NOW)).toEqual({ ok: false, why });
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
