import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { recoveryCodes } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { factorsOf } from "./factors.server.ts";
import { newRecoveryCodes, spendRecoveryCode } from "./recovery-codes.server.ts";

test("makes ten codes of 120 bits in groups, and stores none of them readable", async () => {
  const { userId } = await newAccount();
  const codes = await replaceCodes(userId);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
  const stored = JSON.stringify(await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId)));
  for (const code of codes) expect(stored).not.toContain(code.replaceAll("-", ""));
  expect(await factorsOf(db, userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 10 });
});

test("accepts a code once, as people type it, of ten parallel uses too", async () => {
  const { userId } = await newAccount();
  const [first = "", second = ""] = await replaceCodes(userId);
  const typed = ` ${first.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
  expect(await spendRecoveryCode(db, userId, typed)).toBe(true);
  expect(await spendRecoveryCode(db, userId, first)).toBe(false);
  const used = await Promise.all(Array.from({ length: 10 }, () => spendRecoveryCode(db, userId, second)));
  expect(used.filter(Boolean)).toHaveLength(1);
  expect((await factorsOf(db, userId)).recoveryCodesLeft).toBe(8);
});

test("refuses another account's code, and earlier codes once there are new ones", async () => {
  const [mine, other] = [await newAccount(), await newAccount()];
  const [code = ""] = await replaceCodes(mine.userId);
  expect(await spendRecoveryCode(db, other.userId, code)).toBe(false);
  const [fresh = ""] = await replaceCodes(mine.userId);
  expect(await spendRecoveryCode(db, mine.userId, code)).toBe(false);
  expect(await spendRecoveryCode(db, mine.userId, fresh)).toBe(true);
});

async function replaceCodes(userId: string): Promise<string[]> {
  const { codes, statements } = newRecoveryCodes(db, { userId });
  await db.batch(statements);
  return codes;
}
