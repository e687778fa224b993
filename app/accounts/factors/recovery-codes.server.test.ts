import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { passkeys, recoveryCodes, totpSecrets } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { factorsOf } from "./factors.server.ts";
import { newRecoveryCodes, spendRecoveryCode } from "./recovery-codes.server.ts";
import { removePasskey, removeTotp } from "./remove-factor.server.ts";
import { removeFactorsSince } from "./remove-factors.server.ts";

test("makes ten codes of 120 bits in groups, and stores none of them readable", async () => {
  const { userId } = await accountWithoutPassword();
  const codes = await replaceCodes(userId);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
  const stored = JSON.stringify(await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId)));
  for (const code of codes) expect(stored).not.toContain(code.replaceAll("-", ""));
  expect(await factorsOf(db, userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 10 });
});

test("accepts a code once, as people type it, of ten parallel uses too", async () => {
  const { userId } = await accountWithoutPassword();
  const [first = "", second = ""] = await replaceCodes(userId);
  const typed = ` ${first.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
  expect(await spendRecoveryCode(db, userId, typed)).toBe(true);
  expect(await spendRecoveryCode(db, userId, first)).toBe(false);
  const used = await Promise.all(Array.from({ length: 10 }, () => spendRecoveryCode(db, userId, second)));
  expect(used.filter(Boolean)).toHaveLength(1);
  expect((await factorsOf(db, userId)).recoveryCodesLeft).toBe(8);
});

test("refuses another account's code, and earlier codes once there are new ones", async () => {
  const [mine, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const [code = ""] = await replaceCodes(mine.userId);
  expect(await spendRecoveryCode(db, other.userId, code)).toBe(false);
  const [fresh = ""] = await replaceCodes(mine.userId);
  expect(await spendRecoveryCode(db, mine.userId, code)).toBe(false);
  expect(await spendRecoveryCode(db, mine.userId, fresh)).toBe(true);
});

test("stores when a code was made and used, and reads I as 1", async () => {
  const { userId } = await accountWithoutPassword();
  const { codes, statements } = newRecoveryCodes(db, await ownerOf(userId), 5);
  await db.batch(statements);
  const typed = (codes.find((code) => code.includes("1")) ?? codes[0] ?? "").replaceAll("1", "i");
  expect(await spendRecoveryCode(db, userId, typed, 7)).toBe(true);
  const rows = await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  expect(rows.map(({ createdAt, usedAt }) => `${createdAt} ${usedAt}`).sort()).toEqual([
    "5 7",
    ...Array.from({ length: 9 }, () => "5 null"),
  ]);
});

test.for([
  { what: "a passkey", keys: 1, app: null, removes: "passkey", codes: 0 },
  { what: "a passkey beside an unfinished app", keys: 1, app: "unfinished", removes: "passkey", codes: 0 },
  { what: "a passkey beside an app", keys: 1, app: "confirmed", removes: "passkey", codes: 1 },
  { what: "one of two passkeys", keys: 2, app: null, removes: "passkey", codes: 1 },
  { what: "an app", keys: 0, app: "confirmed", removes: "totp", codes: 0 },
  { what: "an app beside a passkey", keys: 1, app: "confirmed", removes: "totp", codes: 1 },
] as const)("leaves $codes recovery codes after the removal of $what", async ({ keys, app, removes, codes }) => {
  const [account, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  await storePasskey(other);
  let id = "";
  for (let i = 0; i < keys; i++) id = await storePasskey(account);
  const confirmedAt = app === "confirmed" ? 1 : null;
  if (app) await db.insert(totpSecrets).values({ userId: account.userId, sealedSecret: "", createdAt: 1, confirmedAt });
  for (const { userId } of [account, other]) {
    await db.insert(recoveryCodes).values({ digest: userId, userId, createdAt: 1 });
  }
  const owner = await ownerOf(account.userId);
  const remove = (mustKeepOne: boolean) =>
    removes === "passkey" ? removePasskey(db, owner, id, mustKeepOne) : removeTotp(db, owner, mustKeepOne);
  // The codes go with the last factor, so the last factor is what nobody may remove who needs one.
  if (codes === 0) expect(await remove(true)).toEqual({ ok: false, reason: "last_factor" });
  expect(await factorsOf(db, account.userId)).toMatchObject({ recoveryCodesLeft: 1 });
  expect(await remove(codes === 1)).toEqual({ ok: true, name: removes === "passkey" ? "Key" : "" });
  expect(await factorsOf(db, account.userId)).toMatchObject({ recoveryCodesLeft: codes });
  expect(await factorsOf(db, other.userId)).toMatchObject({ recoveryCodesLeft: 1, passkeys: [{}] });
  expect(await remove(false)).toEqual({ ok: false, reason: "unknown" });
});

test("removes the factors added since a time, unfinished setups of any time, and nobody else's", async () => {
  const SINCE = 1000;
  const [early, late, other] = [
    await accountWithoutPassword(),
    await accountWithoutPassword(),
    await accountWithoutPassword(),
  ];
  for (const [{ userId }, createdAt] of [
    [early, SINCE - 1] as const,
    [late, SINCE] as const,
    [other, SINCE] as const,
  ]) {
    await storePasskey({ userId }, createdAt);
    await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt, confirmedAt: createdAt });
    await db.insert(recoveryCodes).values({ digest: userId, userId, createdAt });
  }
  const unfinished = await accountWithoutPassword();
  await db.insert(totpSecrets).values({ userId: unfinished.userId, sealedSecret: "", createdAt: 1 });
  for (const { userId } of [early, late, unfinished]) await db.batch(removeFactorsSince(db, sql`(${userId})`, SINCE));
  const all = { passkeys: [{}], hasTotp: true, recoveryCodesLeft: 1 };
  expect(await factorsOf(db, early.userId)).toMatchObject(all);
  expect(await factorsOf(db, late.userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
  expect(await factorsOf(db, other.userId)).toMatchObject(all);
  expect(await db.$count(totpSecrets, eq(totpSecrets.userId, unfinished.userId))).toBe(0);
});

async function replaceCodes(userId: string): Promise<string[]> {
  const { codes, statements } = newRecoveryCodes(db, await ownerOf(userId));
  await db.batch(statements);
  return codes;
}

async function storePasskey({ userId }: { userId: string }, createdAt = 1): Promise<string> {
  const id = crypto.randomUUID();
  const flags = { deviceType: "singleDevice", backedUp: false, isSecondFactor: true } as const;
  await db.insert(passkeys).values({ id, userId, publicKey: "", signCount: 0, name: "Key", createdAt, ...flags });
  return id;
}
