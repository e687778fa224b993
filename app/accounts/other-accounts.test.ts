import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { exportAccount } from "#app/accounts/deletion/account-personal-data.server.ts";
import { noteAttempt } from "#app/accounts/deletion/start-deletion.server.ts";
import {
  deviceHistory,
  forgetDevices,
  rememberDevice,
  voidLaterAlerts,
} from "#app/accounts/devices/known-devices.server.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { changePasskey } from "#app/accounts/factors/passkeys.server.ts";
import { spendRecoveryCode } from "#app/accounts/factors/recovery-codes.server.ts";
import { removePasskey, removeTotp } from "#app/accounts/factors/remove-factor.server.ts";
import { endSetupLink } from "#app/accounts/factors/staff-setup-links.server.ts";
import { cancelTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { migratePassword } from "#app/accounts/legacy/migrate-password.server.ts";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { changeName, changePassword, readAccount } from "#app/accounts/profile/profile.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { insertReset } from "#app/accounts/recovery/reset-tokens.server.ts";
import { endSession, endSessions, listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { passkeys, profiles, tempMysqlPasswords, totpSecrets, users } from "#app/db/schema.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { databaseOf, fillPerson, type Person, readRow, TABLES } from "#tests/workerd/personal-rows.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

/** Whatever somebody does to their own account leaves every row of another account as it was. */

const context = loadContext();
const visit = newVisit();
const LEGACY_HASH = "$2y$10$the.same.password.at.the.old.shop";

let other: Person;
let me: SignedInAccount;

beforeAll(async () => {
  other = await fillPerson();
  // Leaves something that each operation could end.
  for (const change of [
    "update users set suspended_at = null where id = ?1",
    "update auth_sessions set revoked_at = null where user_id = ?1",
    "update password_resets set used_at = null where user_id = ?1",
    `update temp_mysql_passwords set migrated = 0, mysql_password_hash = '${LEGACY_HASH}' where user_id = ?1`,
  ]) {
    await databaseOf("users").prepare(change).bind(other.userId).run();
  }
});

beforeEach(async () => {
  me = await signedIn();
});

const OPERATIONS: [what: string, run: () => Promise<unknown>][] = [
  ["changes their name", () => changeName(db, me.userId, "Somebody")],
  [
    "changes their password",
    () => changePassword(context, visit, me, { current: PASSWORD, next: "seven blue whales" }),
  ],
  ["resets their password", resetMine],
  ["migrates the same legacy password", migrateMine],
  ["ends all sessions", async () => endSessions(db, me.userId)],
  ["ends a session by its id", () => endSession(db, me.userId, me.sessionId)],
  ["ends another's session", async () => expect(await endSession(db, me.userId, idOf("authSessions"))).toBeNull()],
  [
    "renames another's passkey",
    async () => expect(await changePasskey(db, me, idOf("passkeys"), { name: "" })).toBe(false),
  ],
  [
    "removes another's passkey",
    async () => expect(await removePasskey(db, me, idOf("passkeys"), false)).toEqual({ ok: false, reason: "unknown" }),
  ],
  [
    "removes an app that they don't have",
    async () => expect(await removeTotp(db, me, false)).toMatchObject({ ok: false }),
  ],
  ["cancels the setup of an app", () => cancelTotpSetup(db, me.userId)],
  ["tries a recovery code", () => spendRecoveryCode(db, me.userId, "aaaa-bbbb-cccc")],
  ["ends their setup link", async () => endSetupLink(db, me.userId)],
  ["logs in on a new device", async () => db.batch([...rememberDevice(db, me.userId, "new", Date.now())])],
  ["forgets their devices", async () => forgetDevices(db, sql`${me.userId}`)],
  [
    "proves who they are on a known device",
    async () => {
      await db.batch([...rememberDevice(db, me.userId, "known", 1)]);
      await voidLaterAlerts(db, me.userId, "known");
    },
  ],
  ["has a deletion that is tried again", () => noteAttempt(db, me.userId, Date.now())],
];

for (const [what, run] of OPERATIONS) {
  test(`leaves another account as it was when somebody ${what}`, async () => {
    const before = await rowsOfOther();
    await run();
    expect(await rowsOfOther()).toEqual(before);
  });
}

test("reads nothing of another account", async () => {
  expect(await readAccount(db, me.userId)).toMatchObject({ id: me.userId, email: me.email });
  expect(JSON.stringify(await exportAccount(db, me.userId))).not.toContain(other.userId);
  expect(await listSessions(db, me.userId)).toMatchObject([{ id: me.sessionId }]);
  expect(await factorsOf(db, me.userId)).toMatchObject({ passkeys: [], hasTotp: false });
  expect(await db.select(deviceHistory(db, "x")).from(profiles).where(eq(profiles.userId, me.userId))).toMatchObject([
    { hasDevices: false, isKnown: false },
  ]);
});

test("removes one of several passkeys by its id, never the last factor, and no unfinished app", async () => {
  const key = { name: "Key", publicKey: "", signCount: 0, deviceType: "singleDevice", createdAt: 1 } as const;
  for (const id of ["first", "second"]) {
    const own = { id: `${me.userId}-${id}`, userId: me.userId, backedUp: false, isSecondFactor: false };
    await db.insert(passkeys).values({ ...key, ...own });
  }
  await db.insert(totpSecrets).values({ userId: me.userId, sealedSecret: "", createdAt: 1 });
  expect(await removeTotp(db, me, false)).toEqual({ ok: false, reason: "unknown" });
  expect(await removePasskey(db, me, `${me.userId}-first`, true)).toEqual({ ok: true, name: "Key" });
  expect((await factorsOf(db, me.userId)).passkeys).toMatchObject([{ id: `${me.userId}-second` }]);
  const last = { ok: false, reason: "last_factor" };
  expect(await removePasskey(db, me, `${me.userId}-second`, true)).toEqual(last);
  expect(await removePasskey(db, me, `${me.userId}-second`, false)).toMatchObject({ ok: true });
});

async function resetMine(): Promise<void> {
  const { token, digest } = makeEmailToken();
  await insertReset(db, sql`(${me.userId})`, digest);
  const input = { token, password: "seven blue whales" };
  expect(await resetPassword(context, visit, input, programAccess(db, env))).toEqual({ ok: true });
}

async function migrateMine(): Promise<void> {
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, me.userId));
  await db.insert(tempMysqlPasswords).values({ userId: me.userId, mysqlPasswordHash: LEGACY_HASH });
  const legacy = { userId: me.userId, password: PASSWORD, legacyHash: LEGACY_HASH };
  expect(await migratePassword(db, legacy, unlimitedCaller())).toMatchObject({ ok: true, how: "migrated" });
}

function idOf(table: "authSessions" | "passkeys"): string {
  return String(other.rows.get(table)?.row.id);
}

async function rowsOfOther() {
  return Promise.all(TABLES.map(async (name) => [name, await readRow(name, other.rows.get(name)?.rowid ?? 0)]));
}
