import { env } from "cloudflare:workers";
import bcrypt from "bcryptjs";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { LOG_IN_TOASTS, logInErrorText } from "#app/accounts/sign-in/log-in-texts.ts";
import { logIn } from "#app/accounts/sign-in/sign-in.server.ts";
import { connect } from "#app/db/db.server.ts";
import { profiles, tempMysqlPasswords, users, wallets } from "#app/db/schema.server.ts";
import { checkCredentials } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { padBcryptWork, spellingsOf } from "./legacy-passwords.server.ts";

const db = connect(env.DB);
const PASSWORD = "rasmuslerdorf";
// From the PHP manual.
const PHP_HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
// From the test vectors of crypt_blowfish.
const OPENWALL_HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const INVALID = "Invalid email or password. Please check your credentials and try again.";

test("logs in with a legacy password, migrates it and wipes the hash", async () => {
  const { email, userId } = await legacyAccount(PHP_HASH);
  expect(await checkCredentials(db, { email, password: PASSWORD })).toMatchObject({
    ok: true,
    userId,
    how: "migrated",
  });
  expect(await legacyRow(userId)).toMatchObject({ migrated: true, mysqlPasswordHash: null });
  expect(await checkCredentials(db, { email, password: PASSWORD })).toMatchObject({ ok: true, userId, how: "current" });
});

test("checks hashes with each of the three prefixes and with the fewest rounds", async () => {
  const own = (await bcrypt.hash("päss wörd", 4)).replace(/^\$2.\$/, "$2b$");
  const $2b = await legacyAccount(own);
  const $2y = await legacyAccount(own.replace("$2b$", "$2y$"));
  const $2a = await legacyAccount(OPENWALL_HASH);
  expect(await checkCredentials(db, { email: $2b.email, password: "päss wörd" })).toMatchObject({ how: "migrated" });
  expect(await checkCredentials(db, { email: $2y.email, password: "päss wörd" })).toMatchObject({ how: "migrated" });
  expect(await checkCredentials(db, { email: $2a.email, password: "U*U" })).toMatchObject({ how: "migrated" });
});

test("finds the email regardless of case and surrounding spaces", async () => {
  const { email } = await legacyAccount(PHP_HASH);
  const written = `  ${email.toUpperCase()} `;
  expect(await checkCredentials(db, { email: written, password: PASSWORD })).toMatchObject({ how: "migrated" });
  expect(await checkCredentials(db, { email: written, password: PASSWORD })).toMatchObject({ how: "current" });
});

test("refuses a wrong legacy password with the spec's text, and changes nothing", async () => {
  const { email, userId } = await legacyAccount(PHP_HASH);
  expect(await refusal(email, "wrong")).toBe(
    "Invalid password. Please enter your correct password to migrate your account.",
  );
  expect(await legacyRow(userId)).toMatchObject({ migrated: false, mysqlPasswordHash: PHP_HASH });
  expect(await passwordHashOf(userId)).toBeNull();
});

test("refuses the legacy path like an unknown email after migration", async () => {
  const { email } = await legacyAccount(PHP_HASH);
  await checkCredentials(db, { email, password: PASSWORD });
  expect(await refusal(email, "wrong")).toBe(INVALID);
  expect(await refusal("nobody@test.example", PASSWORD)).toBe(INVALID);
});

test("reports that an account has no legacy password", async () => {
  const email = `${crypto.randomUUID()}@test.example`;
  await createAccount(db, { email, password: "a long password", fullName: "" });
  expect(await refusal(email, "wrong")).toBe("No legacy password found.");
});

test("refuses a hash that can't be checked, whatever the password", async () => {
  const wrong: [hash: string, text: string][] = [
    [PHP_HASH.slice(0, 59), "Password check error: Illegal hash length: 59 != 60"],
    [`${PHP_HASH}x`, "Password check error: Illegal hash length: 61 != 60"],
    ["", "Password check error: Illegal hash length: 0 != 60"],
    ["5f4dcc3b5aa765d61d8327deb882cf99".padEnd(60, "0"), "Password check error: Not a bcrypt hash"],
    [PHP_HASH.replace("$2y$", "$2x$"), "Password check error: Not a bcrypt hash"],
    [PHP_HASH.replace("$07$", "$03$"), "Password check error: Illegal number of rounds (4-31): 3"],
    [PHP_HASH.replace("$07$", "$32$"), "Password check error: Illegal number of rounds (4-31): 32"],
    [PHP_HASH.replace("$07$", "$31$"), "Password check error: Too many rounds to compute: 31 > 16"],
  ];
  for (const [hash, text] of wrong) {
    const { email, userId } = await legacyAccount(hash);
    // Each refusal does the work of a log-in.
    const passwords = text.includes("Not a bcrypt") ? [PASSWORD, hash] : [PASSWORD];
    for (const password of passwords) expect(await refusal(email, password)).toBe(text);
    expect(await passwordHashOf(userId)).toBeNull();
    await db.delete(users).where(eq(users.id, userId));
  }
});

test("migrates once for two concurrent log-ins, and both succeed", async () => {
  const { email, userId } = await legacyAccount(PHP_HASH);
  const both = await Promise.all([
    checkCredentials(db, { email, password: PASSWORD }),
    checkCredentials(db, { email, password: PASSWORD }),
    checkCredentials(db, { email, password: "wrong" }),
  ]);
  const hows = both.map((result) => (result.ok ? result.how : result.reason)).sort();
  expect(hows).toEqual(["migrated", "migrated_meanwhile", "wrong_legacy_password"]);
  expect(await legacyRow(userId)).toMatchObject({ migrated: true, mysqlPasswordHash: null });
  expect(LOG_IN_TOASTS.migrated).toBe("Password successfully migrated! Welcome back!");
  expect(LOG_IN_TOASTS.migrated_meanwhile).toBe("Welcome back! Password migration complete.");
});

test("reports an unreachable database in plain words", async () => {
  const unreachable = connect({
    prepare: () => {
      throw new Error("D1_ERROR: network connection lost");
    },
  } as unknown as D1Database);
  const context = loadContext({ db: unreachable, env: { ...env, LOGIN_ERRORS: "spec" } });
  expect(await logIn(context, newVisit(), { email: "a@test.example", password: PASSWORD })).toMatchObject({
    status: 503,
    text: "Database error: The database could not be reached",
  });
});

test("refuses every log-in with the same text when errors are uniform", async () => {
  const legacy = await legacyAccount(PHP_HASH);
  const broken = await legacyAccount("garbage");
  for (const email of [legacy.email, broken.email, "nobody@test.example"]) {
    expect(await refusal(email, "wrong", "uniform")).toBe(INVALID);
  }
});

test("refuses a common password at sign-up", async () => {
  const made = await createAccount(db, { email: "common@test.example", password: "Trustno1", fullName: "" });
  expect(made).toEqual({ ok: false, reason: "common_password" });
});

test("pads the check of a cheaper hash to the work of the most expensive one", async () => {
  const compared: string[] = [];
  const compare = bcrypt.compare;
  bcrypt.compare = async (_password: string, hash: string) => compared.push(hash.slice(4, 6)) < 0;
  try {
    const caller = unlimitedCaller();
    await padBcryptWork("x", 7, 10, caller);
    await padBcryptWork("x", null, 10, caller);
    await padBcryptWork("x", 10, 10, caller);
    await padBcryptWork("x", 12, 10, caller);
    await padBcryptWork("x", null, null, caller);
  } finally {
    bcrypt.compare = compare;
  }
  expect(compared).toEqual(["07", "08", "09", "10"]);
});

test.for<[language: string, password: string]>([
  ["ASCII", "a wrong password"],
  ["composed German", "gr\u00fcne Wiese"],
  ["Vietnamese", "ti\u1ebfng Vi\u1ec7t"],
])("refuses a password in %s with the same work, whatever the account", async ([, password]) => {
  await db.delete(tempMysqlPasswords);
  const dearest = await legacyAccount(PHP_HASH.replace("$07$", "$09$"));
  const [cheap, broken, migrated] = [
    await legacyAccount(PHP_HASH),
    await legacyAccount("garbage"),
    await legacyAccount(PHP_HASH),
  ];
  await checkCredentials(db, { email: migrated.email, password: PASSWORD });
  const own = `${crypto.randomUUID()}@test.example`;
  await createAccount(db, { email: own, password: "a long password", fullName: "" });
  const emails = [dearest.email, cheap.email, broken.email, migrated.email, own, "nobody@test.example"];
  const work: number[] = [];
  for (const email of emails) {
    const rounds = await roundsDuring(() => checkCredentials(db, { email, password }));
    work.push(rounds.reduce((sum, one) => sum + 2 ** one, 0));
  }
  expect(work).toEqual(emails.map(() => spellingsOf(password).length * 2 ** 9));
});

test("hashes nothing for an attempt over the limit, and counts one with three encodings once", async () => {
  const { email } = await legacyAccount(PHP_HASH);
  const context = loadContext({ env: { ...env, LOGIN_ERRORS: "uniform" } });
  const guess = () => logIn(context, newVisit(), { email, password: "ti\u1ebfng Vi\u1ec7t" });
  for (let at = 0; at < 10; at++) expect(await guess()).toMatchObject({ ok: false, status: 400 });
  const rounds = await roundsDuring(async () => expect(await guess()).toMatchObject({ ok: false, status: 429 }));
  expect(rounds).toEqual([]);
});

test("logs in once with a password that the old system got in another encoding, then with either", async () => {
  const [composed, decomposed] = ["gr\u00fcne Wiese", "gru\u0308ne Wiese"];
  for (const [stored, typed] of [
    [composed, decomposed],
    [decomposed, composed],
  ] as const) {
    const { email, userId } = await legacyAccount(await bcrypt.hash(stored, 4));
    const other = await legacyAccount(await bcrypt.hash("another password", 4));
    expect(await refusal(other.email, typed)).toMatch(/^Invalid password\./);
    expect(await checkCredentials(db, { email, password: typed })).toMatchObject({ ok: true, userId, how: "migrated" });
    expect(await legacyRow(userId)).toMatchObject({ migrated: true, mysqlPasswordHash: null });
    for (const password of [composed, decomposed]) {
      expect(await checkCredentials(db, { email, password })).toMatchObject({ ok: true, how: "current" });
    }
    expect(await legacyRow(other.userId)).toMatchObject({ migrated: false });
  }
});

/** Returns the rounds of each check by bcrypt meanwhile. */
async function roundsDuring(work: () => Promise<unknown>): Promise<number[]> {
  const rounds: number[] = [];
  const compare = bcrypt.compare;
  bcrypt.compare = async (_password: string, hash: string) => rounds.push(Number(hash.slice(4, 6))) < 0;
  try {
    await work();
  } finally {
    bcrypt.compare = compare;
  }
  return rounds;
}

async function refusal(email: string, password: string, setting = "spec"): Promise<string> {
  const result = await checkCredentials(db, { email, password });
  if (result.ok) throw new Error("logged in");
  return logInErrorText(result, setting);
}

async function legacyAccount(hash: string): Promise<{ email: string; userId: string }> {
  const userId = crypto.randomUUID();
  const email = `${userId}@test.example`;
  await db.batch([
    db.insert(users).values({ id: userId, email, createdAt: Date.now() }),
    db.insert(profiles).values({ userId, email }),
    db.insert(wallets).values({ userId }),
    db.insert(tempMysqlPasswords).values({ userId, mysqlPasswordHash: hash }),
  ]);
  return { email, userId };
}

async function legacyRow(userId: string) {
  const [row] = await db.select().from(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, userId));
  return row;
}

async function passwordHashOf(userId: string) {
  const [row] = await db.select().from(users).where(eq(users.id, userId));
  return row?.passwordHash;
}
