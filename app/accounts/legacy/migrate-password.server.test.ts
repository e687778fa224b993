import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword, verifyPassword } from "#app/accounts/password/password-hash.server.ts";
import { waitForAll } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { tempMysqlPasswords, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
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
  expect(await migrate(account)).toEqual({ ok: false, reason: "failed" });
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

const LOST: [where: string, batch: (statements: Statements) => Promise<unknown>][] = [
  [
    "the answer is lost",
    once(async (statements) => {
      await db.batch(statements);
      throw new Error("Network connection lost");
    }),
  ],
  [
    "something between repeats it",
    async (statements) => {
      await db.batch(statements);
      return db.batch(statements);
    },
  ],
  [
    "it fails",
    once(async () => {
      throw new Error("Network connection lost");
    }),
  ],
];

test.for(LOST)(
  "credits the migration to the log-in that made it when %s, and not to a concurrent one",
  async ([, batch]) => {
    const account = await legacyAccount();
    let concurrent: ReturnType<typeof migrate> | undefined;
    const lossy = through(async (statements) => {
      const answer = await batch(statements).catch((error: unknown) => ({ error }));
      if (answer !== null && typeof answer === "object" && "error" in answer) throw answer.error;
      // Between the swap and what the first log-in does next.
      concurrent ??= migrate(account);
      await concurrent;
      return answer;
    });
    expect(await migrate(account, lossy)).toMatchObject({ ok: true, how: "migrated" });
    expect(await concurrent).toMatchObject({ ok: true, how: "migrated_meanwhile" });
  },
);

test("counts the migration as another's where that came before its own was repeated", async () => {
  const account = await legacyAccount();
  const lossy = through(
    once(async () => {
      expect(await migrate(account)).toMatchObject({ how: "migrated" });
      throw new Error("Network connection lost");
    }),
  );
  expect(await migrate(account, lossy)).toMatchObject({ ok: true, how: "migrated_meanwhile" });
});

test.for([
  "User already exists",
  "A user with this email address has already been registered",
  "D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT",
])("goes on with the account that is there when it is refused with %j", async (message) => {
  const account = await legacyAccount();
  let first: ReturnType<typeof migrate> | undefined;
  const refusing = through(async () => {
    first ??= migrate(account);
    await first;
    throw new Error("Failed query", { cause: new Error(message) });
  });
  const { passwordHash } = await migrate(account, refusing).then(async (answer) => {
    expect(answer).toMatchObject({ ok: true, how: "migrated_meanwhile" });
    return stateOf(account);
  });
  expect(await first).toEqual({ ok: true, how: "migrated", passwordHash });
  // Nothing was migrated where nothing is stored.
  const nothing = through(() => Promise.reject(new Error(message)));
  expect(await migrate(await legacyAccount(), nothing)).toEqual({ ok: false, reason: "failed" });
});

test("repeats a swap that used up the request's wait", async () => {
  const account = await legacyAccount();
  const stalled = stalls();
  stalled.beforeCalls((_, number) => number === 1, 1500);
  const standing = connect(stalled.on(env.DB), undefined, waitForAll(Number(stalled.in(env).DATABASE_WAIT_MS)));
  const migrated = await migrate(account, standing);
  expect(stalled.calls).toBe(1);
  // The held statement now reaches the database.
  await stalled.end();
  expect(migrated).toMatchObject({ ok: true, how: "migrated" });
  const { passwordHash } = await stateOf(account);
  expect(migrated.ok && migrated.passwordHash).toBe(passwordHash);
});

test("says what the database said if it fails", async () => {
  const account = await legacyAccount();
  const failing = through(() => Promise.reject(new Error("D1_ERROR: network connection lost")));
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

type Statements = Parameters<typeof db.batch>[0];

/** The database with another way to run a batch. */
function through(batch: (statements: Statements) => Promise<unknown>): typeof db {
  return Object.assign(Object.create(db), { batch });
}

/** Runs the first batch in another way, and the others as the database does. */
function once(batch: (statements: Statements) => Promise<unknown>) {
  let calls = 0;
  return (statements: Statements) => (calls++ === 0 ? batch(statements) : db.batch(statements));
}

function migrate({ userId }: { userId: string }, database = db) {
  return migratePassword(database, { userId, password: PASSWORD, legacyHash: HASH }, caller);
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
