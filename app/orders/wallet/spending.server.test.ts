import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { ledger, rollups, spendingDays } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { credit } from "./ledger.server.ts";
import { readSpending, rollUpSpending, SPENDING_DAYS_KEPT } from "./spending.server.ts";

test("sums up each day once and includes entries that are not summed up yet", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  const first = await place(userId, serviceId, 1000);
  await age(userId, 3);
  const now = Date.now();
  const unsummed = await readSpending(db, userId, 5, now);
  await Promise.all([rollUpSpending(db), rollUpSpending(db), rollUpSpending(db)]);
  expect(await readSpending(db, userId, 5, now)).toEqual(unsummed);
  expect(unsummed.map(({ spent }) => spent)).toEqual([0, 900_000, 0, 0, 0]);
  const dates = [4, 3, 2, 1, 0].map((ago) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10));
  expect(unsummed.map(({ day }) => day)).toEqual(dates);
  expect(unsummed.map(({ balance }) => balance)).toEqual([0, ...Array(4).fill(9_100_000)]);

  await place(userId, serviceId, 2000);
  await closeOrder(db, env, first, { status: "Canceled", remains: 500, startCount: null });
  const mixed = await readSpending(db, userId, 5, now);
  expect(mixed.at(-1)).toMatchObject({ spent: 1_800_000 - 450_000, orders: 1, balance: 7_750_000 });
  await rollUpSpending(db);
  expect(await readSpending(db, userId, 5, now)).toEqual(mixed);
  const days = await db.select().from(spendingDays).where(eq(spendingDays.userId, userId)).orderBy(spendingDays.day);
  expect(days.map(({ refunds, refunded }) => [refunds, refunded])).toEqual([
    [0, 0],
    [1, 450_000],
  ]);

  await place(userId, serviceId, 1000);
  const third = await readSpending(db, userId, 5, now);
  expect(third.at(-1)).toMatchObject({ spent: 1_800_000 - 450_000 + 900_000, orders: 2, balance: 6_850_000 });
  const other = { name: crypto.randomUUID(), upToId: 1 };
  await db.insert(rollups).values(other);
  await rollUpSpending(db);
  expect(await readSpending(db, userId, 5, now)).toEqual(third);
  expect(await db.select().from(rollups).where(eq(rollups.name, other.name))).toMatchObject([other]);
});

test("starts with the balance of the last day before the range", async () => {
  const { userId } = await customerWith(3 * MICRO);
  await age(userId, 40);
  const other = await customerWith(5 * MICRO);
  await age(other.userId, 20);
  const now = Date.now();
  expect((await readSpending(db, userId, 7, now)).map(({ balance }) => balance)).toEqual(Array(7).fill(3 * MICRO));
  // Resets the rollup, because the test changed the dates of entries that were already summed up.
  await db.delete(spendingDays).where(eq(spendingDays.userId, userId));
  await db.delete(rollups);
  await db.delete(spendingDays);
  await rollUpSpending(db);
  expect((await readSpending(db, userId, 7, now)).map(({ balance }) => balance)).toEqual(Array(7).fill(3 * MICRO));
});

test("deletes the old days of an account that orders again, but the last of them, and no other account's", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const other = await customerWith(5 * MICRO);
  const today = Math.floor(Date.now() / DAY_MS);
  await rollUpSpending(db);
  for (const owner of [userId, other.userId]) {
    await db.delete(spendingDays).where(eq(spendingDays.userId, owner));
    const days = [500, 450, SPENDING_DAYS_KEPT + 1, SPENDING_DAYS_KEPT, 100].map((ago) => today - ago);
    await db.insert(spendingDays).values(days.map((day) => ({ userId: owner, day, balance: 1 })));
  }
  const serviceId = await service();
  await place(userId, serviceId, 1000);
  await rollUpSpending(db);
  const ages = async (owner: string) =>
    (await db.select().from(spendingDays).where(eq(spendingDays.userId, owner))).map(({ day }) => today - day);
  expect(await ages(userId)).toEqual([SPENDING_DAYS_KEPT + 1, SPENDING_DAYS_KEPT, 100, 0]);
  expect(await ages(other.userId)).toHaveLength(5);
});

test("reads few rows of each account in a step, however many days the others have", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service();
  await rollUpSpending(db);
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
     insert into spending_days (user_id, day, balance) select 'idle' || (i % 50), i / 50, 1 from n`,
  ).run();
  await place(userId, serviceId, 1000);
  const { database, counts } = countedDatabase(env.DB);
  await rollUpSpending(connect(database));
  expect(counts.rowsRead).toBeLessThanOrEqual(45);
});

/** Kind and amount of entries at noon, by the days before the last one. */
type Entry = [daysAgo: number, kind: "topup" | "charge" | "refund" | "adjustment" | "reversal", amount: number];
const OLD: Entry[] = [
  [6, "topup", 5000],
  [5, "charge", -300],
  [3, "charge", -200],
];
const NEW: Entry[] = [
  [3, "refund", 50],
  [3, "adjustment", 7],
  [1, "charge", -100],
  [1, "charge", -10],
  [1, "refund", 4],
  [0, "reversal", -1000],
];

/** The day of May, what was spent, by how many orders, and the balance, with the old entries and with all. */
const OLD_DAYS = [
  ["17", 200, 1, 4500],
  ["18", 0, 0, 4500],
  ["19", 0, 0, 4500],
  ["20", 0, 0, 4500],
] as const;
const ALL_DAYS = [
  ["17", 150, 1, 4557],
  ["18", 0, 0, 4557],
  ["19", 106, 2, 4451],
  ["20", 0, 0, 3451],
] as const;

test("reads the same before and after any part is summed up, and of one customer only", async () => {
  const midnight = Date.UTC(2026, 4, 20);
  const serviceId = await service();
  /** By customer, how many times the amounts of the entries are theirs. */
  const shares = new Map([
    [(await customerWith(0)).userId, 3],
    [(await customerWith(0)).userId, 1],
  ]);
  const balances = new Map<string, number>();
  const add = async (entries: Entry[]) => {
    for (const [daysAgo, kind, amount] of entries) {
      for (const [userId, times] of shares) {
        const balanceAfter = (balances.get(userId) ?? 0) + amount * times;
        balances.set(userId, balanceAfter);
        const createdAt = midnight - daysAgo * DAY_MS + (daysAgo === 0 ? 0 : DAY_MS / 2);
        const isOfOrder = kind === "charge" || kind === "refund";
        // A test order has no entries of its own.
        const orderId = isOfOrder ? (await place(userId, serviceId, 10, true)).id : null;
        await db.insert(ledger).values({ userId, orderId, kind, amount: amount * times, balanceAfter, createdAt });
      }
    }
  };
  const expectDays = async (rows: typeof OLD_DAYS | typeof ALL_DAYS) => {
    for (const [userId, times] of shares) {
      const expected = rows.map(([day, spent, orders, balance]) => ({
        day: `2026-05-${day}`,
        spent: spent * times,
        orders,
        balance: balance * times,
      }));
      // What is older than the range says the balance that it begins with.
      for (const days of [4, 3, 2, 1]) {
        expect(await readSpending(db, userId, days, midnight)).toEqual(expected.slice(-days));
      }
    }
  };
  await rollUpSpending(db);
  for (const [entries, days] of [
    [OLD, OLD_DAYS],
    [NEW, ALL_DAYS],
  ] as const) {
    await add(entries);
    await expectDays(days);
    await rollUpSpending(db);
    await expectDays(days);
  }
  const day = midnight / DAY_MS;
  for (const [userId, times] of shares) {
    const summed = await db
      .select()
      .from(spendingDays)
      .where(eq(spendingDays.userId, userId))
      .orderBy(spendingDays.day);
    const idle = { userId, spent: 0, byHand: 0, cost: 0, added: 0, orders: 0, refunds: 0, refunded: 0, ended: {} };
    expect(summed).toEqual([
      { ...idle, day: day - 6, added: 5000 * times, balance: 5000 * times },
      {
        ...idle,
        day: day - 5,
        spent: 300 * times,
        byHand: 300 * times,
        orders: 1,
        balance: 4700 * times,
      },
      {
        ...idle,
        day: day - 3,
        spent: 150 * times,
        byHand: 150 * times,
        added: 7 * times,
        orders: 1,
        refunds: 1,
        refunded: 50 * times,
        balance: 4557 * times,
      },
      {
        ...idle,
        day: day - 1,
        spent: 106 * times,
        byHand: 106 * times,
        orders: 2,
        refunds: 1,
        refunded: 4 * times,
        balance: 4451 * times,
      },
      { ...idle, day, added: -1000 * times, balance: 3451 * times },
    ]);
  }
});

test("sums up nothing twice when another run was faster, and passes on any other error", async () => {
  await rollUpSpending(db);
  const { userId } = await customerWith(MICRO);
  const summed = () => db.select().from(spendingDays).where(eq(spendingDays.userId, userId));
  const faster = interrupted(() => rollUpSpending(db));
  await rollUpSpending(faster);
  expect(await summed()).toMatchObject([{ added: MICRO, balance: MICRO }]);
  await credit(db, userId, { kind: "topup", amount: 5, note: "" });
  const failing = interrupted(() => Promise.reject(new Error("lost")));
  await expect(rollUpSpending(failing)).rejects.toThrow("lost");
  expect(await summed()).toMatchObject([{ added: MICRO, balance: MICRO }]);
  await rollUpSpending(db);
  expect(await summed()).toMatchObject([{ added: MICRO + 5, balance: MICRO + 5 }]);
});

/** Returns a connection that does something else between what it reads and its batch. */
function interrupted(work: () => Promise<unknown>) {
  let batches = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (++batches === 1) await work();
    return env.DB.batch(statements);
  };
  return connect({ prepare: (query: string) => env.DB.prepare(query), batch } as unknown as D1Database);
}

async function place(userId: string, serviceId: number, quantity: number, isTest = false) {
  const placed = await placeOrder(db, userId, {
    serviceId,
    fields: { link: "https://instagram.com/p/1", quantity: String(quantity) },
    idempotencyKey: null,
    source: "web",
    isTest,
  });
  if (!placed.ok) throw new Error(placed.fault.reason);
  return placed.order;
}

async function age(userId: string, days: number): Promise<void> {
  await env.DB.prepare("update ledger set created_at = created_at - ? where user_id = ?")
    .bind(days * DAY_MS, userId)
    .run();
  expect(await db.select().from(ledger).where(eq(ledger.userId, userId))).not.toHaveLength(0);
}
