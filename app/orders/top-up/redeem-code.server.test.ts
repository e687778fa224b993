import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { adjustBalance } from "#app/console/customers/customer-admin.server.ts";
import { disableCodes } from "#app/console/money/codes/batch-codes.server.ts";
import codeBatchStore, { createCodes } from "#app/console/stores/code-batch-store.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { listAudit } from "#app/db/audit.server.ts";
import { redeemBatches, redeemCodes, redeemUses } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, listLedger } from "#tests/workerd/customer.ts";
import { countRedeemAttempt, redeemCode } from "./redeem-code.server.ts";

const STAFF: Actor = { userId: "staff-1", name: "Grace Admin" };
const AMOUNT = 25 * MICRO;

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("credits a code once when fifty accounts redeem it at the same moment", async () => {
  const [code = ""] = await codes();
  const people = await Promise.all(Array.from({ length: 10 }, () => customerWith(0)));
  const tries = people.flatMap(({ userId }) => Array.from({ length: 5 }, () => redeemCode(db, userId, code)));
  const results = await Promise.all(tries);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  const balances = await Promise.all(people.map(({ userId }) => readBalance(db, userId)));
  expect(balances.reduce((sum, balance) => sum + balance)).toBe(AMOUNT);
  expect(await redeemCode(db, (await customerWith(0)).userId, code)).toEqual({ ok: false, reason: "used_up" });
});

test("credits an account once when it redeems a code fifty times at once", async () => {
  const [code = ""] = await codes();
  const { userId } = await customerWith(MICRO);
  const results = await Promise.all(Array.from({ length: 50 }, () => redeemCode(db, userId, code)));
  expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, amount: AMOUNT, balance: AMOUNT + MICRO, owed: 0 }]);
  expect(results.filter((result) => !result.ok && result.reason === "used_by_you")).toHaveLength(49);
  expect((await listLedger(userId, 5))[0]).toMatchObject({
    kind: "topup",
    amount: AMOUNT,
    note: `Code …${code.slice(-4)}`,
  });
});

test("gives each account one use of a code, up to its number of uses", async () => {
  const [code = ""] = await codes({ maxUses: 2 });
  const people = await Promise.all(Array.from({ length: 4 }, () => customerWith(0)));
  const results = await Promise.all(people.map(({ userId }) => redeemCode(db, userId, code)));
  expect(results.filter(({ ok }) => ok)).toHaveLength(2);
});

test("accepts a code in lower case, with spaces, and with O for 0", async () => {
  const [code = ""] = await codes();
  const written = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
  expect(await redeemCode(db, (await customerWith(0)).userId, written)).toMatchObject({ ok: true });
});

test("refuses expired, disabled and unknown codes, each with its reason", async () => {
  const { userId } = await customerWith(0);
  const [expired = ""] = await codes({ expiresAt: Date.now() - 1 });
  const [disabled = "", single = ""] = await codes({ count: 2 });
  expect(await redeemCode(db, userId, expired)).toEqual({ ok: false, reason: "expired" });
  const [row] = await db
    .select()
    .from(redeemCodes)
    .where(eq(redeemCodes.ending, single.slice(-4)));
  const batchId = row?.batchId ?? 0;
  await disableCodes(db, STAFF, { batchId, codeId: row?.id ?? 0 });
  expect(await redeemCode(db, userId, single)).toEqual({ ok: false, reason: "disabled" });
  await disableCodes(db, STAFF, { batchId, codeId: null });
  expect(await redeemCode(db, userId, disabled)).toEqual({ ok: false, reason: "disabled" });
  // Again, and of another batch: nothing happens, and nothing is recorded.
  await disableCodes(db, STAFF, { batchId, codeId: row?.id ?? 0 });
  await disableCodes(db, STAFF, { batchId, codeId: null });
  await disableCodes(db, STAFF, { batchId: batchId + 1, codeId: row?.id ?? 0 });
  const entries = await listAudit(db, { subject: "codes", subjectId: String(batchId) }, 9);
  expect(entries.map(({ action }) => action)).toEqual(["codes.disable", "codes.disable", "codes.create"]);
  expect(await redeemCode(db, userId, "GL-0000-0000-0000-0000")).toEqual({ ok: false, reason: "unknown" });
  expect(await readBalance(db, userId)).toBe(0);
  expect(await db.select().from(redeemUses).where(eq(redeemUses.userId, userId))).toEqual([]);
});

test("stores no code in plain text, and creates the codes of a repeated form once", async () => {
  const batch = { name: "Spring", amount: AMOUNT, count: 3, maxUses: 1, expiresAt: null };
  const onceKey = crypto.randomUUID();
  const created = await createCodes(db, STAFF, batch, onceKey);
  expect(created?.codes).toHaveLength(3);
  expect(created?.codes[0]).toMatch(/^GL(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  expect(await createCodes(db, STAFF, batch, onceKey)).toBeNull();
  const stored = JSON.stringify(await db.select().from(redeemCodes));
  for (const code of created?.codes ?? []) expect(stored).not.toContain(code.slice(3, 12));
  const { userId } = await customerWith(0);
  await redeemCode(db, userId, created?.codes[0] ?? "");
  const newest = { search: "", sort: { key: "created", descending: true } };
  expect((await codeBatchStore.list(db, newest, null, 1)).rows[0]).toMatchObject({
    id: created?.batchId,
    count: 3,
    used: 1,
  });
  expect(await db.select().from(redeemBatches).where(eq(redeemBatches.name, "Spring"))).toHaveLength(1);
});

test("refuses an account after ten attempts in an hour, but no other account", async () => {
  const request = new Request("https://growline.example/dashboard/top-up", { method: "POST" });
  const who = crypto.randomUUID();
  for (let n = 0; n < 10; n++) expect(await countRedeemAttempt(db, request, who)).toEqual({ ok: true });
  expect(await countRedeemAttempt(db, request, who)).toMatchObject({ ok: false });
  expect(await countRedeemAttempt(db, request, crypto.randomUUID())).toEqual({ ok: true });
});

test("refuses an address after sixty attempts in an hour, whatever the account, but no other address", async () => {
  const from = (address: string) =>
    new Request("https://growline.example/dashboard/top-up", { headers: { "CF-Connecting-IP": address } });
  const attempt = (address: string) => countRedeemAttempt(db, from(address), crypto.randomUUID());
  for (let n = 0; n < 60; n++) expect(await attempt("198.51.100.7")).toEqual({ ok: true });
  expect(await attempt("198.51.100.7")).toMatchObject({ ok: false });
  expect(await attempt("198.51.100.8")).toEqual({ ok: true });
});

test("credits and debits with a reason, and never debits more than the balance", async () => {
  const { userId } = await customerWith(0);
  const move = (amount: number, once: string = crypto.randomUUID()) =>
    adjustBalance(db, STAFF, userId, { kind: "adjustment", amount, reason: "Bank transfer" }, once);
  expect(await move(-1)).toEqual({ ok: false, reason: "insufficient_funds" });
  expect(await move(5 * MICRO)).toEqual({ ok: true, balance: 5 * MICRO });
  const debits = await Promise.all(Array.from({ length: 8 }, () => move(-2 * MICRO)));
  expect(debits.filter(({ ok }) => ok)).toHaveLength(2);
  expect(await readBalance(db, userId)).toBe(MICRO);
  const once = crypto.randomUUID();
  const twice = await Promise.all([move(MICRO, once), move(MICRO, once)]);
  expect(twice.filter(({ ok }) => ok)).toHaveLength(1);
  expect(twice).toContainEqual({ ok: false, reason: "repeated" });
  expect(await adjustBalance(db, STAFF, "nobody", { kind: "topup", amount: 1, reason: "" }, "k")).toEqual({
    ok: false,
    reason: "not_found",
  });
});

async function codes(given: { count?: number; maxUses?: number; expiresAt?: number } = {}): Promise<string[]> {
  const batch = { name: "Test", amount: AMOUNT, count: 1, maxUses: 1, expiresAt: null, ...given };
  const created = await createCodes(db, STAFF, batch, crypto.randomUUID());
  return created?.codes ?? [];
}
