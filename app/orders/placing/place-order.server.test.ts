import { env } from "cloudflare:workers";
import { and, eq, sum } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { ledger, orders, services } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { type PlacedOrder, placeOrder, readOrders } from "./place-order.server.ts";

const LINK = "https://instagram.com/p/1";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("accepts exactly ten of fifty parallel orders of 100 on a balance of 1,000", async () => {
  const { userId } = await customerWith(1000 * MICRO);
  const serviceId = await service({ rate: 100 * MICRO });
  const placed = await Promise.all(Array.from({ length: 50 }, () => place(userId, serviceId, "1000")));
  expect(placed.filter((result) => result.ok)).toHaveLength(10);
  expect(placed.filter((result) => faultOf(result) === "insufficient_funds")).toHaveLength(40);
  expect(await readBalance(db, userId)).toBe(0);
  expect(await ledgerSum(userId)).toBe(0);
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(10);
});

test("charges an order once however often its key is repeated", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const placed = await Promise.all(Array.from({ length: 20 }, () => place(userId, serviceId, "1000", "the-key")));
  const ids = new Set(placed.map((result) => (result.ok ? result.order.id : null)));
  expect(ids.size).toBe(1);
  expect(ids).not.toContain(null);
  expect(placed.filter((result) => result.ok && !result.replayed)).toHaveLength(1);
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 900_000);
});

test("refuses a key that was used for another order", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  await place(userId, serviceId, "1000", "the-key");
  expect(faultOf(await place(userId, serviceId, "2000", "the-key"))).toBe("idempotency_conflict");
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 900_000);
});

test("returns the first order for a repeated key after the service was withdrawn and repriced", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const first = await place(userId, serviceId, "1000", "the-key");
  await db
    .update(services)
    .set({ enabled: false, rate: 5 * MICRO })
    .where(eq(services.id, serviceId));
  const again = await place(userId, serviceId, "1000", "the-key");
  expect(again).toMatchObject({ ok: true, replayed: true, order: { id: first.ok ? first.order.id : -1 } });
});

test("lets two customers use the same key", async () => {
  const [a, b] = [await customerWith(MICRO), await customerWith(MICRO)];
  const serviceId = await service();
  const [first, second] = [await place(a.userId, serviceId, "10", "k"), await place(b.userId, serviceId, "10", "k")];
  expect(first.ok && second.ok && first.order.id !== second.order.id).toBe(true);
});

test("keeps the keys of test orders and of live ones apart", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service();
  const input = { serviceId, fields: { link: LINK, quantity: "10" }, idempotencyKey: "k", source: "api" } as const;
  const tried = await placeOrder(db, userId, { ...input, isTest: true });
  const live = await placeOrder(db, userId, input);
  expect(live).toMatchObject({ ok: true, replayed: false, order: { isTest: false, charge: 9000 } });
  expect(tried).toMatchObject({ ok: true, replayed: false, order: { isTest: true } });
  expect(await placeOrder(db, userId, { ...input, isTest: true })).toMatchObject({ ok: true, replayed: true });
});

test("places two orders for equal content without a key", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service();
  await place(userId, serviceId, "10");
  await place(userId, serviceId, "10");
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(2);
});

test("refuses an account without a wallet, even at no charge", async () => {
  const serviceId = await service({ rate: 0 });
  const nobody = crypto.randomUUID();
  expect(faultOf(await place(nobody, serviceId, "10"))).toBe("insufficient_funds");
  expect(await db.select().from(orders).where(eq(orders.userId, nobody))).toHaveLength(0);
});

test("leaves no order, no ledger entry and the whole balance after a refusal", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await service();
  expect(faultOf(await place(userId, serviceId, "9"))).toBe("quantity_too_small");
  expect(faultOf(await place(userId, serviceId, "100001"))).toBe("quantity_too_large");
  expect(faultOf(await place(userId, serviceId, "100000"))).toBe("insufficient_funds");
  expect(faultOf(await place(userId, 2_000_000_000, "10"))).toBe("unknown_service");
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(0);
  expect(await readBalance(db, userId)).toBe(MICRO);
  expect(await ledgerSum(userId)).toBe(MICRO);
});

test("does not return another customer's order", async () => {
  const [owner, other] = [await customerWith(MICRO), await customerWith(MICRO)];
  const placed = await place(owner.userId, await service(), "10");
  if (!placed.ok) throw new Error("not placed");
  expect(await readOrders(db, { userId: owner.userId, isTest: false }, [placed.order.id])).toHaveLength(1);
  expect(await readOrders(db, { userId: other.userId, isTest: false }, [placed.order.id])).toHaveLength(0);
});

test("records the order and the balance after it in the ledger", async () => {
  const { userId } = await customerWith(MICRO);
  const placed = await place(userId, await service(), "10");
  if (!placed.ok) throw new Error("not placed");
  const entries = await db
    .select()
    .from(ledger)
    .where(and(eq(ledger.userId, userId), eq(ledger.kind, "charge")));
  expect(entries).toMatchObject([{ orderId: placed.order.id, amount: -9000, balanceAfter: MICRO - 9000 }]);
});

/** As in docs/limits-and-costs.md. D1 bills rows of tables and of indexes alike. */
const ROWS = { rowsRead: 19, rowsWritten: 12 };

test("places an order in three statements, with or without a daily cap, which writes one row more", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const catalog = new CatalogCache();
  await catalog.terms(db, serviceId, userId);
  const cost = async (dailyCap: number | null) => {
    const limits = { expiresAt: null, addresses: [], dailyCap };
    const { id: apiKeyId } = await newKey(userId, { name: "shop", scopes: ["order"], limits });
    const { database, counts, byStatement } = countedDatabase(env.DB);
    const input = {
      serviceId,
      fields: { link: LINK, quantity: "10" },
      idempotencyKey: null,
      source: "api",
      apiKeyId,
    } as const;
    expect(await placeOrder(connect(database), userId, input, catalog)).toMatchObject({ ok: true });
    return { ...counts, rowsWritten: sumOf([...byStatement.values()].map((one) => one.rowsWritten)) };
  };
  expect(await cost(null)).toEqual({ queries: 4, ...ROWS });
  expect(await cost(MICRO)).toMatchObject({ queries: 4, rowsWritten: ROWS.rowsWritten + 1 });
});

function sumOf(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function place(userId: string, serviceId: number, quantity: string, key: string | null = null): Promise<PlacedOrder> {
  return placeOrder(db, userId, { serviceId, fields: { link: LINK, quantity }, idempotencyKey: key, source: "api" });
}

function faultOf(result: PlacedOrder): string | null {
  return result.ok ? null : result.fault.reason;
}

async function ledgerSum(userId: string): Promise<number> {
  const [row] = await db
    .select({ total: sum(ledger.amount) })
    .from(ledger)
    .where(eq(ledger.userId, userId));
  return Number(row?.total ?? 0);
}
