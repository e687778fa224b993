import { env } from "cloudflare:workers";
import { eq, getTableName, isTable } from "drizzle-orm";
import { expect, test } from "vitest";
import { changeName } from "#app/accounts/profile/profile.server.ts";
import { listSessions, startSession } from "#app/accounts/session/auth-sessions.server.ts";
import { checkCredentials } from "#app/accounts/sign-in/check-credentials.server.ts";
import { giveRole } from "#app/accounts/staff/operator-role.server.ts";
import { connect } from "#app/db/db.server.ts";
import * as schema from "#app/db/schema.server.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { deleteAccountRows, exportAccount } from "./account-personal-data.server.ts";
import { deleteExpiredRows } from "./expired-rows.server.ts";
import { pendingDeletions, startDeletion } from "./start-deletion.server.ts";

const db = connect(env.DB);
const request = new Request("https://growline.example/any", { headers: { "User-Agent": "Test browser" } });
const context = loadContext();

test("asks for the password, signs out everywhere and stays listed until it is finished", async () => {
  const { userId, email } = await newAccount();
  const viewer = { userId, sessionId: await startSession(db, { userId, request }) };
  expect(await startDeletion(context, request, viewer, "wrong")).toMatchObject({ reason: "wrong_password" });
  expect(await pendingDeletions(db)).toEqual([]);
  expect(await startDeletion(context, request, viewer, PASSWORD)).toEqual({ ok: true });
  expect(await listSessions(db, userId)).toEqual([]);
  expect((await checkCredentials(db, { email, password: PASSWORD })).ok).toBe(false);
  expect(await pendingDeletions(db)).toEqual([userId]);
  await deleteAccountRows(db, userId);
  await deleteAccountRows(db, userId);
  expect(await pendingDeletions(db)).toEqual([]);
});

test("leaves no row that names the person or the email address", async () => {
  const { userId, email } = await newAccount();
  const sessionId = await startSession(db, { userId, request });
  await db.insert(schema.passwordResets).values({ tokenDigest: userId, userId, expiresAt: 1 });
  await db.insert(schema.emailChanges).values({ userId, tokenDigest: userId, newEmail: email, expiresAt: 1 });
  await startDeletion(context, request, { userId, sessionId }, PASSWORD);
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
  await startSession(db, { userId, request });
  const exported = await exportAccount(db, userId);
  expect(exported.account).toMatchObject({ id: userId, email, fullName: "Ada Lovelace", role: "agent" });
  expect(exported.sessions).toMatchObject([{ userAgent: "Test browser", revokedAt: null }]);
  expect(JSON.stringify(exported)).not.toMatch(/scrypt|digest/i);
});

test("deletes sessions and resets that ended long ago, and keeps running sessions", async () => {
  const { userId } = await newAccount();
  const old = await startSession(db, { userId, request });
  const running = await startSession(db, { userId, request });
  await db.update(schema.authSessions).set({ revokedAt: 1 }).where(eq(schema.authSessions.id, old));
  await db.insert(schema.passwordResets).values({ tokenDigest: `old ${userId}`, userId, expiresAt: 1 });
  await deleteExpiredRows(db);
  const left = await db.select().from(schema.authSessions).where(eq(schema.authSessions.userId, userId));
  expect(left.map((session) => session.id)).toEqual([running]);
  expect(await db.select().from(schema.passwordResets)).toEqual([]);
});
