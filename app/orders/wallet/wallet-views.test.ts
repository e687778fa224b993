import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { ledger, wallets } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, listLedger, service } from "#tests/workerd/customer.ts";
import { credit, readBalance } from "./ledger.server.ts";
import { exportLedgerCsv } from "./ledger-export.server.ts";
import { listTransactions, readTransaction } from "./transactions.server.ts";
import { readWallet } from "./wallet.server.ts";

const NOON = Date.UTC(2026, 4, 1, 12);

test("exports every entry of one's own ledger, oldest first, and no one else's", async () => {
  const { userId } = await customerWith(MICRO);
  const other = await customerWith(MICRO);
  const entry = { userId, kind: "adjustment", amount: 1500, note: "=1+1", createdAt: NOON } as const;
  // More than one read of a thousand rows, with another customer's among them.
  const many = Array.from({ length: 1100 }, (_, n) => ({ ...entry, balanceAfter: MICRO + 1500 * (n + 1) }));
  for (let at = 0; at < many.length; at += 10) {
    await db.insert(ledger).values(many.slice(at, at + 10));
    if (at % 500 === 0) await credit(db, other.userId, { kind: "topup", amount: MICRO, note: "theirs" });
  }
  const text = await new Response(exportLedgerCsv(db, userId, "USD")).text();
  const [head, first, second, ...rest] = text.replace("\ufeff", "").trimEnd().split("\r\n");
  expect(head).toBe("entry,at,kind,order,amount_USD,balance_USD,note");
  expect(first).toMatch(/^\d+,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,topup,,1\.00,1\.00,test$/);
  expect(second).toMatch(/^\d+,2026-05-01 12:00:00,adjustment,,0\.0015,1\.0015,"'=1\+1"$/);
  expect(rest).toHaveLength(1099);
  expect(text).not.toContain("theirs");
  const ids = [first, second, ...rest].map((line) => Number.parseInt(line ?? "", 10));
  expect(ids).toEqual(ids.toSorted((one, another) => one - another));
  expect(new Set(ids).size).toBe(1101);
});

test("lists one's own transactions by page and kind, newest first", async () => {
  const { userId } = await customerWith(MICRO);
  const other = await customerWith(MICRO);
  const serviceId = await service();
  for (let n = 0; n < 3; n++) {
    const fields = { link: `https://instagram.com/p/${n}`, quantity: "10" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    await closeOrder(db, env, placed.order, { status: "Canceled", remains: 10, startCount: null });
    await credit(db, userId, { kind: "adjustment", amount: 1, note: "" });
    await credit(db, other.userId, { kind: "topup", amount: 1, note: "theirs" });
  }
  const pages = async (filter: "all" | "refunds" | "topups", limit: number) => {
    const found: string[][] = [];
    for (let before: number | null = null; ; ) {
      const { rows, next } = await listTransactions(db, userId, { filter, before }, limit);
      found.push(rows.map(({ kind }) => kind));
      expect(rows.every(({ note }) => note !== "theirs")).toBe(true);
      if (next === null) return found;
      before = next;
    }
  };
  const round = ["adjustment", "refund", "charge"];
  expect((await pages("all", 10)).map((kinds) => kinds.length)).toEqual([10]);
  expect((await pages("all", 4)).map((kinds) => kinds.length)).toEqual([4, 4, 2]);
  expect((await pages("all", 4)).flat()).toEqual([...round, ...round, ...round, "topup"]);
  expect(await pages("refunds", 2)).toEqual([["refund", "refund"], ["refund"]]);
  expect(await pages("topups", 3)).toEqual([["adjustment", "adjustment", "adjustment"], ["topup"]]);
});

test("shows a receipt to its owner only", async () => {
  const { userId } = await customerWith(MICRO);
  const other = await customerWith(0);
  const [entry] = await listLedger(userId, 1);
  expect(await readTransaction(db, userId, entry?.id ?? 0)).toMatchObject({
    kind: "topup",
    amount: MICRO,
    order: null,
  });
  expect(await readTransaction(db, other.userId, entry?.id ?? 0)).toBeNull();
  const serviceId = await service({ name: "Hearts" });
  const fields = { link: "https://instagram.com/p/1", quantity: "10" };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  const [charge] = await listLedger(userId, 1);
  expect(await readTransaction(db, userId, charge?.id ?? 0)).toMatchObject({
    kind: "charge",
    order: { id: placed.order.id, quantity: 10 },
    service: "Hearts",
  });
  expect(await readTransaction(db, userId, entry?.id ?? 0)).toMatchObject({ kind: "topup" });
});

test("credits nothing but a whole positive amount", async () => {
  const { userId } = await customerWith(MICRO);
  for (const amount of [0, -1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
    await expect(credit(db, userId, { kind: "adjustment", amount, note: "" })).rejects.toThrow(RangeError);
  }
  expect(await readBalance(db, userId)).toBe(MICRO);
  expect(await listLedger(userId, 10)).toHaveLength(1);
});

test("calls a balance low below its threshold, and an account without a wallet empty", async () => {
  const { userId } = await customerWith(MICRO);
  expect(await readWallet(db, userId)).toMatchObject({ balance: MICRO, owed: 0, isLow: false });
  for (const [lowBalanceThreshold, isLow] of [
    [MICRO, false],
    [MICRO + 1, true],
  ] as const) {
    await db.update(wallets).set({ lowBalanceThreshold }).where(eq(wallets.userId, userId));
    expect(await readWallet(db, userId)).toMatchObject({ lowBalanceThreshold, isLow });
  }
  const nobody = crypto.randomUUID();
  expect(await readBalance(db, nobody)).toBe(0);
  expect(await readWallet(db, nobody)).toEqual({ balance: 0, owed: 0, lowBalanceThreshold: null, isLow: false });
});
