import { eq, inArray, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { isResetToken } from "#app/accounts/recovery/password-reset.server.ts";
import { profiles, type Role, securityEvents, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accessOf, addAccess, storedAccount, WHOLE_ACCESS } from "#tests/workerd/new-account.ts";
import { giveRole } from "./operator-role.server.ts";

const vouch = { statements: () => [] };

const GIVEN: [from: Role, to: Role, isConfirmed: boolean, sessions: number, events: string[]][] = [
  ["customer", "agent", true, 0, ["role_changed"]],
  ["agent", "admin", true, 0, ["role_changed"]],
  ["admin", "customer", true, 0, ["role_changed"]],
  ["admin", "customer", false, 0, ["role_changed"]],
  ["agent", "agent", true, 1, []],
  ["customer", "customer", false, 1, []],
];

test.for(GIVEN)("makes a %s a %s, with a confirmed address: %s, and leaves %i session", async (row) => {
  const [from, to, isConfirmed, sessions, events] = row;
  const confirmed = { emailConfirmedAt: isConfirmed ? 1 : null };
  const [{ userId, email }, other] = [await storedAccount(from, confirmed), await storedAccount(from, confirmed)];
  for (const one of [userId, other.userId]) await addAccess(one);
  expect(await giveRole(db, ` ${email.toUpperCase()} `, to, vouch)).toEqual({ ok: true, resetToken: null });
  expect(await stateOf(userId)).toEqual({ role: to, emailConfirmedAt: isConfirmed ? 1 : null });
  expect(await accessOf(userId)).toEqual({ ...WHOLE_ACCESS, sessions, events });
  const changes = await db.select().from(securityEvents).where(eq(securityEvents.userId, userId));
  expect(changes.map(({ detail }) => detail)).toEqual(events.map(() => ({ role: to })));
  expect(await stateOf(other.userId)).toEqual({ role: from, emailConfirmedAt: isConfirmed ? 1 : null });
  expect(await accessOf(other.userId)).toEqual(WHOLE_ACCESS);
});

test("refuses to make staff of an address that nobody confirmed, unless the operator vouches for it", async () => {
  const unconfirmed = { emailConfirmedAt: null };
  const [{ userId, email }, other] = [await storedAccount("customer", unconfirmed), await storedAccount()];
  for (const one of [userId, other.userId]) await addAccess(one);
  expect(await giveRole(db, email, "agent")).toEqual({ ok: false, reason: "email_unconfirmed" });
  expect(await accessOf(userId)).toEqual(WHOLE_ACCESS);
  expect(await stateOf(userId)).toEqual({ role: "customer", emailConfirmedAt: null });

  const before = Date.now();
  const given = await giveRole(db, email, "agent", vouch);
  expect(given.ok && (await isResetToken(db, given.resetToken ?? ""))).toBe(true);
  const { role, emailConfirmedAt } = await stateOf(userId);
  expect(role).toBe("agent");
  expect(emailConfirmedAt).toBeGreaterThanOrEqual(before);
  expect(await accessOf(userId)).toEqual({
    ...WHOLE_ACCESS,
    passwordHash: "",
    legacyHash: "",
    sessions: 0,
    emailChanges: 0,
    emailVerifications: 0,
    devices: 0,
    setupLinks: [],
    passkeys: [],
    apps: [],
    recoveryCodes: [],
    queued: ["factor_notice"],
    events: ["role_changed"],
  });
  expect(await accessOf(other.userId)).toEqual(WHOLE_ACCESS);
});

test("ends other access of the account that the operator vouches for, and of no other", async () => {
  const [{ userId, email }, other] = [await storedAccount("agent", { emailConfirmedAt: null }), await storedAccount()];
  const ending = {
    statements: (owner: Parameters<typeof inArray>[1] & object) => [
      db.update(profiles).set({ fullName: "ended" }).where(sql`${profiles.userId} in (${owner})`),
    ],
  };
  expect(await giveRole(db, email, "agent", ending)).toMatchObject({ ok: true, resetToken: expect.any(String) });
  const names = await db
    .select()
    .from(profiles)
    .where(inArray(profiles.userId, [userId, other.userId]));
  expect(names.map((profile) => [profile.userId === userId, profile.fullName]).sort()).toEqual([
    [false, "Test Customer"],
    [true, "ended"],
  ]);
});

test("finds no account, and none whose address changes meanwhile", async () => {
  expect(await giveRole(db, "nobody@test.example", "admin", vouch)).toEqual({ ok: false, reason: "no_account" });
  const { userId, email } = await storedAccount();
  await addAccess(userId);
  const moving = Object.assign(Object.create(db), {
    batch: async (statements: Parameters<typeof db.batch>[0]) => {
      await db
        .update(users)
        .set({ email: `x${email}` })
        .where(eq(users.id, userId));
      return db.batch(statements);
    },
  });
  expect(await giveRole(moving, email, "admin", vouch)).toEqual({ ok: false, reason: "no_account" });
  expect(await stateOf(userId)).toEqual({ role: "customer", emailConfirmedAt: 1 });
  expect(await accessOf(userId)).toEqual(WHOLE_ACCESS);
});

async function stateOf(userId: string) {
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  return { role: profile?.role, emailConfirmedAt: user?.emailConfirmedAt };
}
