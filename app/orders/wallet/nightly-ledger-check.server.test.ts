import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { ledger, ledgerFaults, orders, rollups, wallets } from "#app/db/schema.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { checkLedger } from "./ledger-check.server.ts";
import { checkLedgerNightly, NIGHTS } from "./nightly-ledger-check.server.ts";

const WALLETS = 100;

beforeEach(async () => {
  await db.batch([
    db.delete(ledgerFaults),
    db.delete(rollups),
    db.delete(ledger),
    db.delete(orders),
    db.delete(wallets),
  ]);
});

afterEach(() => void vi.restoreAllMocks());

test("finds faults in new entries, in new orders and in the wallets of new entries", async () => {
  await fill(300);
  await checkLedgerNightly(db);
  const [before] = await db.select({ id: sql<number>`max(${orders.id})` }).from(orders);
  await fill(30);
  const id = (before?.id ?? 0) + 10;
  await db.update(orders).set({ charge: 2 }).where(eq(orders.id, id));
  await db.delete(ledger).where(eq(ledger.orderId, id + 5));
  await db.update(wallets).set({ owed: 7 }).where(eq(wallets.userId, "wallet3"));
  expect((await checkLedgerNightly(db)).map(({ rule, subject }) => `${subject}: ${rule}`).toSorted()).toEqual([
    `order ${id}: every charge has a ledger entry`,
    `order ${id + 5}: every charge has a ledger entry`,
    // The deleted entry was this wallet's last.
    "wallet wallet14: the last ledger entry holds the current balance",
    "wallet wallet3: a wallet with debt has no balance",
    "wallet wallet3: card refunds and disputes are debited or owed",
  ]);
});

test("reports a fault every night until it is fixed", async () => {
  await fill(100);
  const [order] = await db.select().from(orders).limit(1);
  await db
    .update(orders)
    .set({ charge: 9 })
    .where(eq(orders.id, order?.id ?? 0));
  const fault = { rule: "every charge has a ledger entry", subject: `order ${order?.id}`, is_now: 9, should_be: 1 };
  for (let night = 0; night < 3; night++) expect(await checkLedgerNightly(db)).toEqual([fault]);
  await db
    .update(orders)
    .set({ charge: 1 })
    .where(eq(orders.id, order?.id ?? 0));
  expect(await checkLedgerNightly(db)).toEqual([]);
});

test("keeps a fault of each rule until that one is fixed, however many faults a page holds", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await fill(120);
  const entryOf = (orderId: number) => sql`order_id = ${orderId} and kind = 'charge'`;
  const [entry] = await db.select().from(ledger).where(entryOf(7));
  const fixes: [fault: string, fix: () => Promise<unknown>][] = [
    ["order 5: every refund has a ledger entry", () => db.update(orders).set({ refunded: 0 }).where(eq(orders.id, 5))],
    ["order 6: every charge has a ledger entry", () => db.update(orders).set({ charge: 1 }).where(eq(orders.id, 6))],
    [
      `entry ${entry?.id}: an entry continues from the balance of the entry before`,
      () => db.update(ledger).set({ amount: -1 }).where(entryOf(7)),
    ],
    [
      "wallet wallet30: a wallet with debt has no balance",
      () => db.update(wallets).set({ owed: 0 }).where(eq(wallets.userId, "wallet30")),
    ],
    [
      "wallet wallet40: the last ledger entry holds the current balance",
      () => db.update(wallets).set({ balance: sql`balance - 9` }).where(eq(wallets.userId, "wallet40")),
    ],
  ];
  await db.update(orders).set({ refunded: 1 }).where(eq(orders.id, 5));
  await db.update(orders).set({ charge: 2 }).where(eq(orders.id, 6));
  await db.update(ledger).set({ amount: -5 }).where(entryOf(7));
  await db.update(wallets).set({ owed: 3 }).where(eq(wallets.userId, "wallet30"));
  await db.update(wallets).set({ balance: sql`balance + 9` }).where(eq(wallets.userId, "wallet40"));
  const night = async (faultsPerPage: number) =>
    (await checkLedgerNightly(db, { faultsPerPage })).map(({ rule, subject }) => `${subject}: ${rule}`).toSorted();
  const everything = async () =>
    (await checkLedger(db))
      .filter(({ rule }) => rule !== "a balance is the sum of its ledger entries")
      .map(({ rule, subject }) => `${subject}: ${rule}`)
      .toSorted();
  for (const [fault, fix] of fixes) {
    const before = await everything();
    expect(before).toContain(fault);
    for (const faultsPerPage of atScale(0, 1) ? [500, 1, 2] : [1]) expect(await night(faultsPerPage)).toEqual(before);
    await fix();
  }
  for (let n = 0; n < 2; n++) await night(500);
  expect(await night(500)).toEqual([]);
});

test(`finds any fault in the old rows within ${NIGHTS} nights, however the steps fall`, async () => {
  await fill(300);
  await checkLedgerNightly(db, { stepRows: 7, maxSteps: 1000 });
  // In a third of the rows, and of the nights.
  const nights = atScale(10, NIGHTS);
  const middle = sql`(select id from ledger order by id limit 1 offset ${atScale(130, 250)})`;
  await db.update(ledger).set({ amount: -5 }).where(eq(ledger.id, middle));
  await db
    .update(orders)
    .set({ refunded: 1 })
    .where(sql`id = (select id from orders order by id limit 1 offset ${atScale(65, 200)})`);
  await db
    .update(wallets)
    .set({ owed: 5 })
    .where(eq(wallets.userId, `wallet${atScale(20, 50)}`));
  const perNight: number[] = [];
  for (let night = 0; night < nights; night++) {
    perNight.push((await checkLedgerNightly(db, { stepRows: 7, maxSteps: 1000 })).length);
  }
  expect(perNight[0]).toBe(0);
  expect(perNight.at(-1)).toBe(5);
  expect(perNight).toEqual(perNight.toSorted((a, b) => a - b));
  // The check of everything knows one more rule, which reads the whole history of a wallet.
  const rules = (await checkLedger(db)).filter(({ rule }) => rule !== "a balance is the sum of its ledger entries");
  const byName = (one: { rule: string }, other: { rule: string }) => one.rule.localeCompare(other.rule);
  expect((await checkLedgerNightly(db)).toSorted(byName)).toEqual(rules.toSorted(byName));
});

test("starts over with the oldest rows in the night after the last ones", async () => {
  await fill(100);
  await checkLedgerNightly(db);
  const position = eq(rollups.name, "ledger check: old orders");
  const setPosition = (upToId: number) => db.update(rollups).set({ upToId }).where(position);
  // A thirtieth of a hundred orders, rounded up.
  await db.update(orders).set({ charge: 9 }).where(sql`id in (4, 5, 98)`);
  await setPosition(100);
  const subjects = async () => (await checkLedgerNightly(db)).map(({ subject }) => subject);
  expect(await subjects()).toEqual(["order 4"]);
  expect(await subjects()).toEqual(["order 4", "order 5"]);
  await setPosition(98);
  await subjects();
  expect(await db.select().from(rollups).where(position)).toMatchObject([{ upToId: 100 }]);
});

test("checks every known fault in turn, however many are not fixed", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await fill(100);
  const charge = async (to: number, ids: number[]) =>
    db
      .update(orders)
      .set({ charge: to })
      .where(sql`id in (select value from json_each(${JSON.stringify(ids)}))`);
  const ids = Array.from({ length: 25 }, (_, n) => 41 + n);
  await charge(9, ids);
  const night = async () => (await checkLedgerNightly(db, { faultsPerPage: 1 })).length;
  expect(await night()).toBe(25);
  await charge(1, ids.slice(20));
  // Twenty pages a night: the first one left five faults, this one wraps around.
  expect(await night()).toBe(20);
  await charge(1, ids.slice(0, 1));
  expect(await night()).toBe(19);
});

test("logs a hundred faults by their number, also of a rule that is gone, and says that there are more", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const fault = { rule: "a rule of an earlier version", isNow: 1, shouldBe: 0, foundAt: 1 };
  for (let id = 101; id > 0; id--) await db.insert(ledgerFaults).values({ ...fault, id, subject: String(id) });
  const faults = await checkLedgerNightly(db);
  expect(faults.map(({ subject }) => subject)).toEqual(Array.from({ length: 100 }, (_, n) => `unknown rule ${n + 1}`));
  expect(errors.mock.calls.at(-1)?.[0]).toContain('"faults":101');
  await db.delete(ledgerFaults).where(eq(ledgerFaults.id, 101));
  errors.mockClear();
  await checkLedgerNightly(db);
  expect(errors).toHaveBeenCalledTimes(100);
});

test("fails when a range can't be stored, and checks it in the next run", async () => {
  await fill(30);
  await db.update(orders).set({ charge: 9 }).where(eq(orders.id, 30));
  const refuse = "begin select raise(abort, 'refused by a test'); end";
  await env.DB.prepare(`create trigger refused before insert on ledger_faults ${refuse}`).run();
  await expect(checkLedgerNightly(db)).rejects.toThrow();
  await env.DB.prepare("drop trigger refused").run();
  expect(await checkLedgerNightly(db)).toHaveLength(1);
});

test("reads what is new and a thirtieth of the rest", async () => {
  const reads: number[] = [];
  const half = atScale(1500, 6000);
  for (const size of [half, 2 * half]) {
    await fill(half);
    await checkLedgerNightly(db);
    await fill(100);
    const { database, counts } = countedDatabase(env.DB);
    expect(await checkLedgerNightly(connect(database))).toEqual([]);
    expect(counts.rowsRead, `with ${size} orders`).toBeLessThan(100 * 60 + (size / NIGHTS) * 20);
    reads.push(counts.rowsRead);
  }
  console.log(
    `rows read by a night's ledger check with ${half} and ${2 * half} orders, 100 of them new: ${reads.join(", ")}`,
  );
});

test("checks a bounded number of known faults per night, and all of them in turn", async () => {
  // Their orders do not exist, so each fault counts as fixed.
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 50)
    insert into ledger_faults (rule, subject, is_now, should_be, found_at)
    select 'every charge has a ledger entry', 1000000 + i, 1, 0, 1 from n`);
  const known = () => db.$count(ledgerFaults);
  expect(await known()).toBe(50);
  const { database, counts } = countedDatabase(env.DB);
  await checkLedgerNightly(connect(database), { faultsPerPage: 1 });
  expect(await known()).toBe(30);
  expect(counts.queries).toBeLessThan(300);
  await checkLedgerNightly(db, { faultsPerPage: 1 });
  expect(await known()).toBe(10);
  await checkLedgerNightly(db, { faultsPerPage: 1 });
  expect(await known()).toBe(0);
});

test("stops at its bound and continues in the next run", async () => {
  await fill(50);
  await db.update(orders).set({ charge: 9 }).where(sql`id = (select max(id) from orders)`);
  const bounds = { stepRows: 10, maxSteps: 3 };
  const warnings = vi.spyOn(console, "log").mockImplementation(() => {});
  expect(await checkLedgerNightly(db, bounds)).toEqual([]);
  expect(warnings).toHaveBeenCalledWith(expect.stringContaining('"part":"ledger check: new orders"'));
  expect(await checkLedgerNightly(db, bounds)).toHaveLength(1);
  await checkLedgerNightly(db);
  warnings.mockClear();
  await checkLedgerNightly(db, bounds);
  expect(warnings).not.toHaveBeenCalled();
});

test("checks each range once in runs that overlap", async () => {
  await fill(50);
  await db.update(orders).set({ charge: 9 }).where(sql`id = (select max(id) from orders)`);
  const warnings = vi.spyOn(console, "log").mockImplementation(() => {});
  await Promise.all([1, 2, 3].map(() => checkLedgerNightly(db, { stepRows: 10 })));
  expect(warnings).not.toHaveBeenCalled();
  expect(await checkLedgerNightly(db)).toHaveLength(1);
});

/** Inserts orders of charge 1 with their entries, spread over wallets that had 1,000,000. */
async function fill(count: number): Promise<void> {
  const serviceId = await service();
  const many = "with recursive n(i) as (select 0 union all select i + 1 from n where i < ?1 - 1)";
  const run = (query: string, ...values: unknown[]) => env.DB.prepare(query).bind(...values);
  await env.DB.batch([
    run(`${many} insert or ignore into wallets (user_id, balance) select 'wallet' || i, 0 from n`, WALLETS),
    run(
      `insert into ledger (user_id, kind, amount, balance_after, created_at)
       select user_id, 'topup', 1000000, 1000000, 1 from wallets where balance = 0`,
    ),
    run("update wallets set balance = 1000000 where balance = 0"),
    run(
      `${many} insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
         request_digest, source, fulfillment, created_at, updated_at)
       select 'wallet' || (i % ${WALLETS}), ?2, 'Default', '', 1, 1, 'Pending', 1, lower(hex(randomblob(8))), '', 'api', 'manual', 1, 1
       from n`,
      count,
      serviceId,
    ),
    run(
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select o.user_id, o.id, 'charge', -1,
         w.balance - row_number() over (partition by o.user_id order by o.id), 1
       from orders o join wallets w on w.user_id = o.user_id
       where o.id > coalesce((select max(order_id) from ledger), 0) order by o.id`,
    ),
    run(`update wallets set balance =
      (select balance_after from ledger l where l.user_id = wallets.user_id order by l.id desc limit 1)`),
  ]);
}
