import { asc, eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import type { Db } from "#app/db/db.server.ts";
import { ledger, massOrders, orders, services } from "#app/db/schema.server.ts";
import { isIdempotencyKey } from "#app/http/requests/api-request.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { checkMassOrder } from "./check-mass-order.server.ts";
import { lineKey } from "./mass-order-keys.server.ts";
import { placeMassOrder } from "./place-mass-order.server.ts";
import { listMassLines, readMassOrder } from "./read-mass-order.server.ts";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("places the valid lines of a thousand and charges them to the micro-unit", async () => {
  const { userId } = await customerWith(200 * MICRO);
  const id = await service({ rate: 900_001 });
  const text = thousandLines(id);
  const checked = await checkMassOrder(db, userId, text);
  if (!checked.ok) throw new Error(checked.text);
  expect(checked).toMatchObject({ valid: 997, invalid: 3 });
  expect(checked.lines.filter((line) => !line.ok)).toMatchObject([
    { line: 101, error: expect.stringContaining("link") },
    { line: 501, error: "The minimum for this service is 10" },
    { line: 901, error: "Service 999999 is not available" },
  ]);
  const refused = await place(userId, text, { charge: checked.charge, onlyValid: false });
  expect(refused).toMatchObject({ ok: false, reason: "invalid_lines" });
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(0);

  const placed = await place(userId, text, { charge: checked.charge });
  if (!placed.ok) throw new Error(placed.text);
  const stored = await db.select().from(orders).where(eq(orders.userId, userId)).orderBy(asc(orders.id));
  expect(stored).toHaveLength(997);
  expect(stored[0]).toMatchObject({
    link: "https://instagram.com/p/2",
    quantity: 100,
    remains: 100,
    status: "Pending",
    fulfillment: "manual",
  });
  expect(await readBalance(db, userId)).toBe(200 * MICRO - checked.charge);
  const entries = await db.select().from(ledger).where(eq(ledger.userId, userId)).orderBy(asc(ledger.id));
  const charges = entries.filter(({ kind }) => kind === "charge");
  expect(charges.map(({ orderId }) => orderId)).toEqual(stored.map((order) => order.id));
  let balance = 200 * MICRO;
  for (const entry of charges) {
    balance += entry.amount;
    expect(entry.balanceAfter).toBe(balance);
  }
});

test("places and charges no line with a character that could not be read", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const id = await service({ type: "SEO" });
  const lines = [`${id},https://x.example/a,50,Sch\ufffdn`, `${id},https://x.example/b,50,Besser`];
  const text = ["service,link,quantity,keywords", ...lines].join("\n");
  const checked = await checkMassOrder(db, userId, text);
  expect(checked).toMatchObject({
    ok: true,
    invalid: 1,
    lines: [{ line: 2, error: expect.stringContaining("�") }, {}],
  });
  const charge = checked.ok ? checked.charge : 0;
  expect(await place(userId, text, { charge, onlyValid: false })).toMatchObject({ ok: false, reason: "invalid_lines" });
  expect(await readBalance(db, userId)).toBe(10 * MICRO);
});

test("places nothing when the balance covers only some lines", async () => {
  const { userId } = await customerWith(MICRO);
  const id = await service();
  const text = `${id} | https://x.example/a | 1000\n${id} | https://x.example/b | 1000`;
  expect(await place(userId, text, { charge: 1_800_000 })).toMatchObject({ ok: false, reason: "insufficient_funds" });
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(0);
  expect(await db.select().from(massOrders).where(eq(massOrders.userId, userId))).toHaveLength(0);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("places a mass order whose lines no key of the API can take", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const id = await service();
  const fields = { link: "https://x.example/a", quantity: "1000" };
  for (const idempotencyKey of ["taken:00001", "taken:1"]) {
    await placeOrder(db, userId, { serviceId: id, fields, idempotencyKey, source: "api" });
  }
  expect(isIdempotencyKey(lineKey("taken", 1))).toBe(false);
  const placed = await place(userId, `${id} | https://x.example/b | 1000`, { charge: 900_000, key: "taken" });
  expect(placed).toMatchObject({ ok: true, replayed: false });
});

test("places a mass order once however often it is sent, and refuses its key for other content", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const id = await service();
  const text = `${id} | https://x.example/a | 1000`;
  const sent = await Promise.all(
    Array.from({ length: 12 }, () => place(userId, text, { charge: 900_000, key: "once" })),
  );
  expect(sent.filter((result) => result.ok && !result.replayed)).toHaveLength(1);
  expect(new Set(sent.map((result) => result.ok && result.massOrder.id)).size).toBe(1);
  expect(await readBalance(db, userId)).toBe(10 * MICRO - 900_000);
  const other = await place(userId, `${text}0`, { charge: 9_000_000, key: "once" });
  expect(other).toMatchObject({ ok: false, reason: "idempotency_conflict" });
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(1);
});

test("accepts a refused mass order again with the same key", async () => {
  const { userId } = await customerWith(MICRO);
  const id = await service();
  const text = `${id} | https://x.example/a | 1000`;
  await db.update(services).set({ rate: 800_000 }).where(eq(services.id, id));
  const refused = await place(userId, text, { charge: 900_000, key: "again" });
  expect(refused).toMatchObject({ ok: false, reason: "charge_changed" });
  expect(await place(userId, text, { charge: 800_000, key: "again" })).toMatchObject({ ok: true, replayed: false });
});

test("places a mass order while other services change, and refuses it if its own charge does", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const [id, other] = [await service(), await service()];
  const text = `${id} | https://x.example/a | 1000`;
  const placed = await place(userId, text, { charge: 900_000, db: changingMeanwhile(other) });
  expect(placed).toMatchObject({ ok: true, replayed: false });
  const others = `${id} | https://x.example/b | 1000`;
  const refused = await place(userId, others, { charge: 900_000, db: changingMeanwhile(id) });
  expect(refused).toMatchObject({ ok: false, reason: "charge_changed" });
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toHaveLength(1);
});

test("stores the fields of each line's type, across several chunks", async () => {
  const { userId } = await customerWith(5000 * MICRO);
  const comments = await service({
    type: "Custom Comments",
    min: 1,
    providerId: await sandboxProvider(),
    providerServiceId: "11",
  });
  const text = [
    "service,link,comments",
    ...Array.from({ length: 12 }, (_, n) => `${comments},https://x.example/${n},"${`comment ${n} ü\n`.repeat(6000)}"`),
  ].join("\n");
  const checked = await checkMassOrder(db, userId, text);
  if (!checked.ok) throw new Error(checked.text);
  expect(checked).toMatchObject({ valid: 12, invalid: 0 });
  const placed = await place(userId, text, { charge: checked.charge });
  if (!placed.ok) throw new Error(placed.text);
  const stored = await db.select().from(orders).where(eq(orders.userId, userId)).orderBy(asc(orders.id));
  expect(stored).toHaveLength(12);
  const [first] = stored;
  expect(first).toMatchObject({ quantity: 6000, fulfillment: "queued", providerServiceId: "11" });
  expect(String(first?.providerFields.comments)).toMatch(/^comment 0 ü\ncomment 0/);
});

test("lists the orders by line, page by page, only to their owner", async () => {
  const [owner, other] = [await customerWith(100 * MICRO), await customerWith(0)];
  const id = await service();
  const text = Array.from({ length: 25 }, (_, n) => `${id} | https://x.example/${n} | 10`).join("\n");
  const placed = await place(owner.userId, text, { charge: 25 * 9000 });
  if (!placed.ok) throw new Error(placed.text);
  const found = await readMassOrder(db, owner.userId, placed.massOrder.id);
  expect(await readMassOrder(db, other.userId, placed.massOrder.id)).toBeNull();
  if (!found) throw new Error("not found");
  const first = await listMassLines(db, found, 0, 10);
  expect(first.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect((await listMassLines(db, found, 10, 100)).map(({ line }) => line)).toHaveLength(15);
  expect(await listMassLines(db, { ...found, userId: other.userId }, 0, 10)).toEqual([]);
});

function place(
  userId: string,
  text: string,
  {
    charge,
    onlyValid = true,
    key = crypto.randomUUID(),
    db: database = db,
  }: { charge: number; onlyValid?: boolean; key?: string; db?: Db },
) {
  return placeMassOrder(database, userId, { text, source: "", idempotencyKey: key, onlyValid, agreedCharge: charge });
}

/** Returns the database, in which the rate of a service changes right before the first batch. */
function changingMeanwhile(serviceId: number): Db {
  let hasChanged = false;
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
      return async (statements: Parameters<Db["batch"]>[0]) => {
        if (!hasChanged) await db.update(services).set({ rate: 1_800_000 }).where(eq(services.id, serviceId));
        hasChanged = true;
        return target.batch(statements);
      };
    },
  });
}

function thousandLines(id: number): string {
  const lines = Array.from({ length: 1000 }, (_, n) => `${id},https://instagram.com/p/${n + 2},100`);
  lines[99] = `${id},not a link,100`;
  lines[499] = `${id},https://instagram.com/p/501,1`;
  lines[899] = "999999,https://instagram.com/p/901,100";
  return ["service,link,quantity", ...lines].join("\r\n");
}
