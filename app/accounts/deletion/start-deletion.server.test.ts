import { env } from "cloudflare:workers";
import { eq, getTableName, isTable } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { changeName } from "#app/accounts/profile/profile.server.ts";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { giveRole } from "#app/accounts/staff/operator-role.server.ts";
import { SESSION_MS } from "#app/accounts/visit/visit.server.ts";
import { connect } from "#app/db/db.server.ts";
import * as schema from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { accountWithoutPassword, checkCredentials, newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { deleteAccountRows, exportAccount } from "./account-personal-data.server.ts";
import { deleteExpiredRows } from "./expired-rows.server.ts";
import { noteAttempt, pendingDeletions, startDeletion } from "./start-deletion.server.ts";

const LINK_TABLES = [
  schema.passwordResets,
  schema.emailChanges,
  schema.emailVerifications,
  schema.emailChangeUndos,
  schema.staffSetupLinks,
];
const db = connect(env.DB);
const visit = newVisit({ userAgent: "Test browser" });
const context = loadContext();

beforeEach(async () => {
  await db.delete(schema.accountDeletions);
});

test("asks for the password, signs out everywhere and stays listed until it is finished", async () => {
  const { userId, email } = await newAccount();
  const viewer = { userId, sessionId: await startSession(db, { userId, visit }) };
  expect(await startDeletion(context, visit, viewer, "wrong")).toMatchObject({ reason: "wrong_password" });
  expect(await pendingDeletions(db)).toEqual([]);
  expect(await startDeletion(context, visit, viewer, PASSWORD)).toEqual({ ok: true });
  expect(await listSessions(db, userId)).toEqual([]);
  expect((await checkCredentials(db, { email, password: PASSWORD })).ok).toBe(false);
  expect(await pendingDeletions(db)).toEqual([userId]);
  await deleteAccountRows(db, userId);
  await deleteAccountRows(db, userId);
  expect(await pendingDeletions(db)).toEqual([]);
});

test("leaves no row that names the person or the email address", async () => {
  const { userId, email } = await newAccount();
  const sessionId = await startSession(db, { userId, visit });
  const expiresAt = Date.now() + HOUR_MS;
  await db.insert(schema.passwordResets).values({ tokenDigest: userId, userId, expiresAt });
  await db.insert(schema.emailChanges).values({ userId, tokenDigest: userId, newEmail: email, expiresAt });
  await startDeletion(context, visit, { userId, sessionId }, PASSWORD);
  await deleteAccountRows(db, userId);
  const left: string[] = [];
  for (const table of Object.values(schema).filter((value) => isTable(value))) {
    const { results } = await env.DB.prepare(`select * from "${getTableName(table)}"`).run();
    const text = JSON.stringify(results);
    if (text.includes(userId) || text.includes(email)) left.push(getTableName(table));
  }
  // The wallet keeps its bare id, because the ledger must still add up.
  expect(left).toEqual(["wallets"]);
});

test("exports the account and its sessions without secrets", async () => {
  const { userId, email } = await newAccount();
  await changeName(db, userId, "Ada Lovelace");
  expect(await giveRole(db, email.toUpperCase(), "agent")).toMatchObject({ ok: true });
  expect(await giveRole(db, "nobody@test.example", "agent")).toEqual({ ok: false, reason: "no_account" });
  await startSession(db, { userId, visit });
  const exported = await exportAccount(db, userId);
  expect(exported.account).toMatchObject({ id: userId, email, fullName: "Ada Lovelace", role: "agent" });
  expect(exported.sessions).toMatchObject([{ userAgent: "Test browser", revokedAt: null }]);
  expect(JSON.stringify(exported)).not.toMatch(/scrypt|digest/i);
});

test("deletes sessions that ended more than 30 days ago, and keeps later and running ones", async () => {
  const { userId } = await newAccount();
  const now = Date.now();
  const kept: string[] = [];
  for (const ended of [
    { revokedAt: now - SESSION_MS - HOUR_MS },
    { revokedAt: now - SESSION_MS + HOUR_MS },
    { expiresAt: now - SESSION_MS - HOUR_MS },
    { expiresAt: now - SESSION_MS + HOUR_MS },
    {},
  ]) {
    const id = await startSession(db, { userId, visit });
    if (Object.keys(ended).length > 0) {
      await db.update(schema.authSessions).set(ended).where(eq(schema.authSessions.id, id));
    }
    const at = ended.revokedAt ?? ended.expiresAt ?? now;
    if (at > now - SESSION_MS) kept.push(id);
  }
  await deleteExpiredRows(db);
  const left = await db.select().from(schema.authSessions).where(eq(schema.authSessions.userId, userId));
  expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
});

test("deletes expired links and used tokens, and keeps those that still work", async () => {
  const expired = await newAccount();
  const live = await newAccount();
  for (const [{ userId, email }, expiresAt] of [
    [expired, Date.now() - 1],
    [live, Date.now() + HOUR_MS],
  ] as const) {
    const link = { userId, tokenDigest: userId, expiresAt };
    await db.insert(schema.passwordResets).values(link);
    await db.insert(schema.emailChanges).values({ ...link, newEmail: `new-${email}` });
    await db.insert(schema.emailVerifications).values({ ...link, email });
    await db.insert(schema.emailChangeUndos).values({ ...link, oldEmail: email, createdAt: 1 });
    await db.insert(schema.staffSetupLinks).values({ ...link, isEmailed: true });
    await db.insert(schema.usedTokens).values({ digest: userId, expiresAt });
  }
  await deleteExpiredRows(db);
  for (const table of LINK_TABLES) {
    const digests = await db.select({ digest: table.tokenDigest }).from(table);
    expect(
      digests.map(({ digest }) => digest),
      getTableName(table),
    ).toContain(live.userId);
    expect(
      digests.map(({ digest }) => digest),
      getTableName(table),
    ).not.toContain(expired.userId);
  }
  const tokens = await db.select({ digest: schema.usedTokens.digest }).from(schema.usedTokens);
  expect(tokens).toEqual([{ digest: live.userId }]);
});

test("blocks every way to log in to the account, and none of another account", async () => {
  const people = [await newAccount(), await newAccount()] as const;
  for (const { userId, email } of people) {
    const link = { userId, tokenDigest: userId, expiresAt: Date.now() + HOUR_MS };
    await db.insert(schema.tempMysqlPasswords).values({ userId, mysqlPasswordHash: "legacy" });
    await db.insert(schema.passwordResets).values(link);
    await db.insert(schema.emailChanges).values({ ...link, newEmail: `new-${email}` });
    await db.insert(schema.emailChangeUndos).values({ ...link, oldEmail: email, createdAt: 1 });
  }
  const [mine, other] = people;
  const sessions = await Promise.all(people.map(({ userId }) => startSession(db, { userId, visit })));
  const viewer = { userId: mine.userId, sessionId: sessions[0] ?? "" };
  const before = Date.now();
  expect(await startDeletion(context, visit, viewer, PASSWORD)).toEqual({ ok: true });
  const left = async ({ userId }: { userId: string }) => {
    const [user] = await db.select().from(schema.users).where(eq(schema.users.id, userId));
    const of = (table: (typeof TABLES)[number]) => db.$count(table, eq(table.userId, userId));
    return [
      user?.passwordHash === null,
      ...(await Promise.all(TABLES.map(of))),
      (await listSessions(db, userId)).length,
    ];
  };
  const TABLES = [
    schema.tempMysqlPasswords,
    schema.passwordResets,
    schema.emailChanges,
    schema.emailChangeUndos,
    schema.accountDeletions,
  ] as const;
  expect(await left(mine)).toEqual([true, 0, 0, 0, 0, 1, 0]);
  expect(await left(other)).toEqual([false, 1, 1, 1, 1, 0, 1]);
  const [started] = await db.select().from(schema.accountDeletions);
  expect(started).toMatchObject({ userId: mine.userId, attemptedAt: 0 });
  expect(started?.requestedAt).toBeGreaterThanOrEqual(before);
});

test("deletes nothing if the password changes while it is checked", async () => {
  const { userId } = await newAccount();
  const viewer = { userId, sessionId: await startSession(db, { userId, visit }) };
  const changedMeanwhile = Object.assign(Object.create(db), {
    batch: async (statements: Parameters<typeof db.batch>[0]) => {
      // The count of the attempts is a batch of its own, before the check.
      if (statements.length > 1) {
        await db.update(schema.users).set({ passwordHash: "another" }).where(eq(schema.users.id, userId));
      }
      return db.batch(statements);
    },
  });
  const refused = await startDeletion({ ...context, db: changedMeanwhile }, visit, viewer, PASSWORD);
  expect(refused).toEqual({ ok: false, reason: "wrong_password" });
  expect(await pendingDeletions(db)).toEqual([]);
  expect(await listSessions(db, userId)).toHaveLength(1);
});

test("resumes twenty deletions at a time, those that were never tried first, then the least recently tried", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 21; i++) {
    const { userId } = await accountWithoutPassword();
    ids.push(userId);
    await db.insert(schema.accountDeletions).values({ userId, requestedAt: 100 - i });
  }
  const oldestFirst = ids.toReversed();
  expect(await pendingDeletions(db)).toEqual(oldestFirst.slice(0, 20));
  const [first = "", second = ""] = oldestFirst;
  await noteAttempt(db, first, 8);
  await noteAttempt(db, second, 7);
  expect(await pendingDeletions(db)).toEqual([...oldestFirst.slice(2), second]);
  for (const id of oldestFirst.slice(2)) await deleteAccountRows(db, id);
  expect(await pendingDeletions(db)).toEqual([second, first]);
});
