import { env } from "cloudflare:workers";
import { and, desc, eq, inArray, isNull, ne } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { refundOrder, resolveHeld } from "#app/console/orders/decisions/order-admin.server.ts";
import { readToday } from "#app/console/today/today-figures.server.ts";
import {
  ledgerFaults,
  orderCostSums,
  orderCosts,
  orders,
  providerUseDays,
  rollups,
  salesDays,
  salesDayTotals,
  spendingDays,
} from "#app/db/schema.server.ts";
import { anonymizeOrders } from "#app/orders/anonymize-orders.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { newStatusCursor, syncStatuses } from "#app/orders/fulfillment/status-sync.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { costByRate } from "#app/orders/providers/order-cost.ts";
import { readReport } from "#app/orders/reports/read-report.server.ts";
import { REPORT_SUBJECTS } from "#app/orders/reports/report-query.ts";
import { OPEN_STATUSES } from "#app/orders/rules/order-status.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { checkLedgerNightly } from "#app/orders/wallet/nightly-ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { DAY_MS } from "#app/time.ts";
import { type Random, seededRandom } from "#tests/faults/seeded-random.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { linkAt } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { COSTS_KEPT_DAYS, deleteOldCosts, deleteOldSales, SALES_KEPT_DAYS } from "./old-sales.server.ts";
import { daysBefore } from "./sales-period.ts";

const FIRST_DAY = Date.UTC(2026, 4, 1) / DAY_MS;
const DAYS = 4;
const ORDERS_PER_DAY = atScale(60, 500);
const TEST_ORDERS_PER_DAY = atScale(5, 40);
/** The days at whose ends a customer deletes their account. */
const LEAVING_DAYS = [FIRST_DAY + 1, FIRST_DAY + 2];
const SEED = 20261124;

afterEach(() => void vi.restoreAllMocks());

/** An order as the oracle knows it. Amounts are BigInt, computed apart from the product. */
type Known = {
  id: number;
  user: string;
  service: Sold;
  total: bigint;
  /** As the provider said last. */
  remains: bigint;
  charge: bigint;
  refunded: bigint;
  cost: bigint | null;
  isOpen: boolean;
  /** Staff have it sent again. */
  waits: boolean;
};
type Sold = { id: number; providerId: number | null; rate: bigint | null; charge: bigint };

/** Per key, what a day adds up to. */
type Expected = Map<string, Record<"orders" | "charged" | "refunds" | "refunded" | "cost" | "costed", bigint>>;

test("sums up all orders beside test orders and deleted accounts to the micro-unit, whatever their providers report", async () => {
  const sums = [orderCostSums, salesDays, salesDayTotals, spendingDays, providerUseDays];
  for (const table of [ledgerFaults, rollups, orderCosts, ...sums]) await db.delete(table);
  for (const level of ["log", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
  const random = seededRandom(SEED);
  const { pick, upTo, chance } = random;
  const clock = vi.spyOn(Date, "now");
  clock.mockReturnValue((FIRST_DAY - 1) * DAY_MS);
  await rollUpSpending(db);

  const providerIds = [await sandboxProvider(), await sandboxProvider()];
  const sold: Sold[] = [];
  for (const providerId of [...providerIds, ...providerIds, null]) {
    for (const providerRate of [450_001, 333, null]) {
      const providerServiceId = providerId === null ? null : crypto.randomUUID();
      const rate = providerId === null ? null : providerRate;
      const id = await service({ providerId, providerServiceId, providerRate: rate, rate: 900_007 });
      sold.push({ id, providerId, rate: rate === null ? null : BigInt(rate), charge: 900_007n });
    }
  }
  const users: string[] = [];
  const balances = new Map<string, number>();
  for (let n = 0; n < 7 + LEAVING_DAYS.length; n++) {
    const { userId } = await customerWith(0);
    await credit(db, userId, { kind: "topup", amount: 1e12, note: "" });
    users.push(userId);
    balances.set(userId, 1e12);
  }

  const known = new Map<number, Known>();
  const byService: Expected = new Map();
  const byUser: Expected = new Map();
  const add = (order: Known, day: number, figure: Partial<Record<keyof ReturnType<typeof zero>, bigint>>) => {
    for (const [map, key] of [
      [byService, `${day} ${order.service.id} ${order.service.providerId ?? 0}`],
      [byUser, `${order.user} ${day} ${order.service.providerId === null ? "hand" : ""}`],
    ] as const) {
      const sums = map.get(key) ?? zero();
      for (const [name, value] of Object.entries(figure)) sums[name as keyof typeof sums] += value;
      map.set(key, sums);
    }
  };
  const setCost = (order: Known, day: number, cost: bigint | null) => {
    const costed = BigInt(Number(cost !== null) - Number(order.cost !== null));
    add(order, day, { cost: (cost ?? 0n) - (order.cost ?? 0n), costed });
    order.cost = cost;
  };
  const refund = (order: Known, day: number, amount: bigint) => {
    if (amount === 0n) return;
    add(order, day, { refunds: 1n, refunded: amount });
    order.refunded += amount;
    balances.set(order.user, (balances.get(order.user) ?? 0) + Number(amount));
  };
  const end = (order: Known, day: number, remains: bigint) => {
    order.isOpen = false;
    refund(order, day, (order.charge * remains) / order.total);
  };

  // Orders of a deleted account stay in the sums of all, and are in no customer's.
  const forgotten = zero();
  const leave = async (user: string, day: number) => {
    users.splice(users.indexOf(user), 1);
    const own = [...known.values()].filter((order) => order.user === user);
    const waiting = await db
      .select({ id: orders.id })
      .from(orders)
      .where(and(eq(orders.userId, user), eq(orders.fulfillment, "queued"), isNull(orders.resendUntil)));
    const unsent = new Set(waiting.map(({ id }) => id));
    await anonymizeOrders(db, env, user);
    const [first] = own;
    const { userId: anonymous } = await read(first?.id ?? 0);
    for (const [key, sums] of [...byUser].filter(([key]) => key.startsWith(`${user} `))) {
      byUser.delete(key);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) forgotten[name] += sums[name];
    }
    for (const order of own) {
      order.user = anonymous;
      // Nobody has begun with it.
      if (order.isOpen && (order.service.providerId === null || unsent.has(order.id))) end(order, day, order.remains);
    }
  };
  const testIds: number[] = [];
  const tryOut = async () => {
    for (let n = 0; n < TEST_ORDERS_PER_DAY; n++) {
      const fields = { link: `https://instagram.com/p/${n}`, quantity: String(10 + upTo(5000)) };
      const order = { serviceId: pick(sold).id, fields, idempotencyKey: null, source: "api", isTest: true } as const;
      const tried = await placeOrder(db, pick(users), order);
      if (!tried.ok) throw new Error(tried.fault.reason);
      testIds.push(tried.order.id);
    }
  };

  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
    let now = day * DAY_MS + upTo(DAY_MS / 4);
    clock.mockReturnValue(now);
    const [newest] = await db.select({ id: orders.id }).from(orders).orderBy(desc(orders.id)).limit(1);
    let nextId = (newest?.id ?? 0) + 1;
    const placed: Known[] = [];
    for (let n = 0; n < ORDERS_PER_DAY; n++) {
      const one = pick(sold);
      const total = BigInt(1 + upTo(5000));
      const charge = divideUp(one.charge * total, 1000n);
      const order = { id: nextId++, user: pick(users), service: one, total, charge };
      placed.push({ ...order, remains: total, refunded: 0n, cost: null, isOpen: true, waits: false });
    }
    await place(placed, balances, now);
    for (const order of placed) {
      known.set(order.id, order);
      add(order, day, { orders: 1n, charged: order.charge });
    }
    await tryOut();
    if (chance(0.5)) await rollUpSpending(db);

    // Providers reject some of the orders that were sent, and accept the others.
    const sent = placed.filter((order) => order.service.providerId !== null);
    for (const order of sent.filter(() => chance(0.03))) {
      const to = {
        status: "Canceled",
        remains: Number(order.total),
        startCount: null,
        fulfillment: "rejected",
      } as const;
      expect(await closeOrder(db, env, await read(order.id), to)).toBe(true);
      setCost(order, day, 0n);
      end(order, day, order.total);
    }
    const accepted = sent.filter(({ isOpen }) => isOpen);
    await accept(accepted, now);
    for (const order of accepted) {
      if (order.service.rate !== null) setCost(order, day, divideUp(order.service.rate * order.total, 1000n));
    }

    // Two rounds of statuses, with anything that a panel may write as a charge.
    for (let round = 0; round < 2; round++) {
      now += DAY_MS / 4;
      clock.mockReturnValue(now);
      const says: Record<string, Record<string, unknown>> = {};
      const effects: (() => void)[] = [];
      for (const order of known.values()) {
        if (!order.isOpen || order.waits || order.service.providerId === null || chance(0.3)) continue;
        const status = pick([
          "In progress",
          "In progress",
          "Processing",
          "Completed",
          "Completed",
          "Partial",
          "Canceled",
        ]);
        const charge = oddCharge(random, order.cost);
        const remains = status === "Completed" ? 0n : BigInt(1 + upTo(Number(order.total)));
        const isFinal = status !== "In progress" && status !== "Processing";
        says[`there-${order.id}`] = { status, remains: String(remains), ...charge.says };
        effects.push(() => {
          const { means } = charge;
          if (means !== null && (means > 0n || status === "Canceled")) setCost(order, day, means);
          else if (isFinal && order.cost !== null)
            setCost(order, day, divideUp(order.cost * (order.total - remains), order.total));
          if (isFinal) end(order, day, remains);
          else order.remains = remains;
        });
      }
      providerReplies(({ orders: ids = "" }) =>
        Response.json(
          Object.fromEntries(ids.split(",").map((id) => [id, says[id] ?? { status: "In progress", remains: null }])),
        ),
      );
      for (const id of providerIds) await syncStatuses(await linkAt(id), newStatusCursor());
      for (const effect of effects) effect();
      if (chance(0.5)) await rollUpSpending(db);
    }

    // Staff refund some orders, and send others again.
    const closed = [...known.values()].filter((one) => !one.isOpen && one.refunded === 0n && chance(0.04));
    for (const order of closed) {
      const amount = 1 + upTo(Number(order.charge));
      const done = await refundOrder(db, STAFF, order.id, { amount, reason: "test" });
      if (done.ok) refund(order, day, BigInt(amount));
      else expect(order.charge).toBe(0n);
    }
    const open = [...known.values()].filter((one) => one.isOpen && one.cost !== null && chance(0.04));
    await db
      .update(orders)
      .set({ fulfillment: "held" })
      .where(inArray(orders.id, open.map(({ id }) => id).slice(0, 50)));
    for (const [n, order] of open.slice(0, 50).entries()) {
      if (n % 2 === 0) {
        expect(await resolveHeld(db, env, STAFF, order.id, { kind: "again" }, "test")).toEqual({ ok: true });
        setCost(order, day, null);
        order.waits = true;
        continue;
      }
      expect(await resolveHeld(db, env, STAFF, order.id, { kind: "refused" }, "test")).toEqual({ ok: true });
      setCost(order, day, 0n);
      end(order, day, order.total);
    }
    if (!LEAVING_DAYS.includes(day)) continue;
    // Entries that were not summed up yet count for the random id that stays.
    await rollUpSpending(db);
    await leave(users.at(-1) ?? "", day);
  }
  await rollUpSpending(db);
  vi.restoreAllMocks();
  vi.spyOn(console, "error").mockImplementation(() => {});

  // Each order, the rows of services and customers, and what the functions return.
  const ofSold = await db
    .select()
    .from(orders)
    .where(
      inArray(
        orders.serviceId,
        sold.map(({ id }) => id),
      ),
    );
  const stored = ofSold.filter(({ isTest }) => !isTest);
  const tried = ofSold.filter(({ isTest }) => isTest);
  expect(tried.map(({ id }) => id)).toEqual(testIds);
  expect(tried.filter(({ cost, refunded }) => cost !== null || refunded !== 0)).toEqual([]);
  expect(stored).toHaveLength(DAYS * ORDERS_PER_DAY);
  const wrong = stored.filter(({ id, cost, refunded, status }) => {
    const order = known.get(id) as Known;
    const isSame = cost === (order.cost === null ? null : Number(order.cost)) && refunded === Number(order.refunded);
    return !isSame || order.isOpen !== (OPEN_STATUSES as readonly string[]).includes(status);
  });
  expect(wrong).toEqual([]);
  const costs = stored.map(({ cost }) => cost);
  expect(new Set(costs).size).toBeGreaterThan((DAYS * ORDERS_PER_DAY) / 4);

  const days = await db.select().from(salesDays);
  expect(
    byKey(days.map(({ day, serviceId, providerId, ...sums }) => [`${day} ${serviceId} ${providerId}`, sums])),
  ).toEqual(numbers(byService));
  const revenue = sumOf(byService, "charged") - sumOf(byService, "refunded");
  const [entries] = await env.DB.prepare(
    "select -sum(amount) as revenue from ledger where kind in ('charge', 'refund') and created_at >= ?",
  )
    .bind(FIRST_DAY * DAY_MS)
    .all<{ revenue: number }>()
    .then(({ results }) => results);
  expect(BigInt(entries?.revenue ?? 0)).toBe(revenue);

  const period = { from: FIRST_DAY, to: FIRST_DAY + DAYS - 1 };
  const cost = sumOf(byService, "cost");
  expect(forgotten.orders).toBeGreaterThan(BigInt(ORDERS_PER_DAY / 5));
  for (const by of REPORT_SUBJECTS) {
    const query = { by, period, against: "before", compared: daysBefore(period), sorts: [] } as const;
    const report = await readReport(db, { ...query, sort: { key: "revenue", descending: true } }, now(period.to));
    const sum = (name: "orders" | "revenue" | "refunds" | "refunded" | "cost") =>
      report.rows.reduce((total, row) => total + BigInt(row.now[name]), 0n);
    const gone = by === "customer" ? forgotten : zero();
    expect([sum("revenue"), sum("cost")], by).toEqual([revenue - (gone.charged - gone.refunded), cost - gone.cost]);
    for (const name of ["orders", "refunds", "refunded"] as const)
      expect(sum(name), by).toBe(sumOf(byService, name) - gone[name]);
    expect([report.total.now.revenue, report.total.now.cost].map(BigInt), by).toEqual([revenue, cost]);
    for (const row of by === "customer" ? report.rows : []) {
      const own = [...byUser].filter(([key]) => key.startsWith(`${row.key} `));
      const of = (name: keyof ReturnType<typeof zero>, only = "") =>
        own.filter(([key]) => key.endsWith(only)).reduce((total, [, sums]) => total + sums[name], 0n);
      const { orders, revenue, refunds, refunded, cost, byHand } = row.now;
      expect([orders, revenue, refunds, refunded, cost, byHand].map(BigInt), row.key).toEqual([
        of("orders"),
        of("charged") - of("refunded"),
        of("refunds"),
        of("refunded"),
        of("cost"),
        of("charged", "hand") - of("refunded", "hand"),
      ]);
    }
  }
  const atProviders = await db.select().from(providerUseDays);
  expect(atProviders.reduce((sum, row) => sum + BigInt(row.cost), 0n)).toBe(cost);

  // What Today says, on the morning after.
  const morning = await readToday(db, (FIRST_DAY + DAYS) * DAY_MS + 1);
  for (const { name, period, figures } of morning.sales) {
    const ofPeriod = [...byService].filter(([key]) => {
      const [day = 0] = key.split(" ").map(Number);
      return day >= period.from && day <= period.to;
    });
    const sum = (of: keyof ReturnType<typeof zero>, rows = ofPeriod) =>
      rows.reduce((total, [, sums]) => total + sums[of], 0n);
    const resold = ofPeriod.filter(([key]) => !key.endsWith(" 0"));
    expect([figures.revenue, figures.cost, figures.earned, figures.orders].map(BigInt), name).toEqual([
      sum("charged") - sum("refunded"),
      sum("cost"),
      sum("charged", resold) - sum("refunded", resold) - sum("cost", resold),
      sum("orders"),
    ]);
  }
  expect(morning.sales.map(({ figures }) => figures.orders)).toEqual([
    0,
    ORDERS_PER_DAY,
    DAYS * ORDERS_PER_DAY,
    DAYS * ORDERS_PER_DAY,
  ]);

  // The checks find nothing, and find each figure that is changed by one micro-unit.
  const rulesBroken = async () => (await checkLedger(db)).map(({ rule, subject }) => `${subject}: ${rule}`);
  expect(await rulesBroken()).toEqual([]);
  expect(await checkLedgerNightly(db)).toEqual([]);
  const date = new Date((FIRST_DAY + 1) * DAY_MS).toISOString().slice(0, 10);
  for (const [change, rules] of [
    [
      "charged = charged + 1",
      ["a day's charges are those of the ledger", "the revenue of a day's services adds up to the day's"],
    ],
    [
      "refunded = refunded - 1",
      ["a day's refunds are those of the ledger", "the revenue of a day's services adds up to the day's"],
    ],
    [
      "cost = cost + 1",
      ["a day's cost is what the costs of orders changed by", "the cost of a day's services adds up to the day's"],
    ],
    ["orders = orders + 1", ["a day's orders are the charges of the ledger"]],
    ["costed = costed - 1", ["the orders of known cost of a day are those of its costs"]],
    ["by_hand = by_hand + 1", ["a day's revenue by hand is that of its services without a provider"]],
  ] as const) {
    const [undo] = [change.includes("+") ? change.replace("+", "-") : change.replace("-", "+")];
    await env.DB.prepare(`update sales_day_totals set ${change} where day = ${FIRST_DAY + 1}`).run();
    expect(await rulesBroken()).toEqual(rules.map((rule) => `day ${date}: ${rule}`));
    await env.DB.prepare(`update sales_day_totals set ${undo} where day = ${FIRST_DAY + 1}`).run();
  }
  const [first = 0, second = 0] = providerIds;
  const move = (providerId: number, by: number) =>
    env.DB.prepare("update provider_use_days set cost = cost + ? where provider_id = ? and day = ?")
      .bind(by, providerId, FIRST_DAY + 1)
      .run();
  // What moves from one provider to another leaves the day's sum as it is. Checked while these rows are all there.
  const clockOfRule = vi.spyOn(Date, "now").mockReturnValue((FIRST_DAY + DAYS) * DAY_MS);
  await move(first, 1);
  await move(second, -1);
  expect(await rulesBroken()).toEqual([`day ${date}: the costs at each provider are those of its services`]);
  await move(first, -1);
  await move(second, 1);
  expect(await rulesBroken()).toEqual([]);
  clockOfRule.mockRestore();

  for (const [change, rule] of [
    ["spent = spent + 1", "the spending of a day's customers is that of the ledger"],
    ["orders = orders + 1", "the orders of a day's customers are the charges of the ledger"],
    ["refunded = refunded + 1", "the refunds of a day's customers are those of the ledger"],
    ["refunds = refunds + 1", "the refunded orders of a day's customers are those of the ledger"],
    ["cost = cost + 1", "the cost of a day's customers is what the costs of their orders changed by"],
    ["by_hand = by_hand + 1", "the revenue by hand of a day's customers is that of their orders without a provider"],
  ] as const) {
    const run = (set: string) =>
      env.DB.prepare(`update spending_days set ${set} where day = ${FIRST_DAY + 1} and user_id = ?`)
        .bind(users[0])
        .run();
    await run(change);
    expect(await rulesBroken()).toEqual([`day ${date}: ${rule}`]);
    await run(change.replace("+", "-"));
  }

  // So do costs of orders, by the hundred, while their changes are there and when only the sums are left.
  const someone = stored.find((one) => one.cost !== null && one.cost > 0)?.id ?? 0;
  const hundred = stored.filter(({ id }) => Math.floor(id / 100) === Math.floor(someone / 100)).map(({ id }) => id);
  const wrongCosts = [`order ${Math.min(...hundred)}: the costs of a hundred orders are the sum of their changes`];
  const raise = (by: number) =>
    env.DB.prepare("update orders set cost = cost + ? where id = ?").bind(by, someone).run();
  const forgetChange = () =>
    env.DB.prepare("delete from order_costs where id = (select max(id) from order_costs)").run();
  const expectWrongCostFound = async () => {
    await raise(1);
    expect(await rulesBroken()).toEqual([]);
    await forgetChange();
    expect(await rulesBroken()).toEqual(wrongCosts);
    await raise(-1);
    await forgetChange();
    expect(await rulesBroken()).toEqual([]);
  };
  await expectWrongCostFound();
  // A cost of a customer who is still there.
  const ofKept = inArray(
    orderCosts.orderId,
    stored
      .filter(({ userId }) => userId === users[0])
      .map(({ id }) => id)
      .slice(0, 50),
  );
  const isChange = and(ne(orderCosts.amount, 0), ofKept);
  const change = await db.select().from(orderCosts).where(isChange).orderBy(orderCosts.id).limit(1);
  await db.delete(orderCosts).where(eq(orderCosts.id, change[0]?.id ?? 0));
  expect(await rulesBroken()).toEqual([
    expect.stringContaining("a day's cost is what the costs of orders changed by"),
    expect.stringContaining("the orders of known cost of a day are those of its costs"),
    expect.stringContaining("the cost of a day's customers is what the costs of their orders changed by"),
  ]);
  await db.insert(orderCosts).values(change);

  const [last] = await db.select({ at: orderCosts.createdAt }).from(orderCosts).orderBy(desc(orderCosts.id)).limit(1);
  const lastDay = Math.floor((last?.at ?? 0) / DAY_MS);
  vi.spyOn(Date, "now").mockReturnValue((lastDay + COSTS_KEPT_DAYS) * DAY_MS);
  await deleteOldCosts(db);
  const left = await db.select({ at: orderCosts.createdAt }).from(orderCosts);
  expect(left.length).toBeGreaterThan(0);
  expect(left.every(({ at }) => Math.floor(at / DAY_MS) === lastDay)).toBe(true);
  expect(await rulesBroken()).toEqual([]);
  vi.spyOn(Date, "now").mockReturnValue((lastDay + COSTS_KEPT_DAYS + 1) * DAY_MS);
  await deleteOldCosts(db);
  // The newest stays, so that the next one gets a new id.
  expect(await db.$count(orderCosts)).toBe(1);
  await expectWrongCostFound();

  // A day's sums outlive its services.
  vi.spyOn(Date, "now").mockReturnValue((lastDay + SALES_KEPT_DAYS + 1) * DAY_MS);
  await deleteOldSales(db);
  expect(await db.$count(salesDays)).toBe(0);
  expect(await db.$count(salesDayTotals)).toBeGreaterThan(0);
  expect(await rulesBroken()).toEqual([]);
}, 300_000);

/** The day after the given one, in ms. */
function now(day: number): number {
  return (day + 1) * DAY_MS;
}

const STAFF = { userId: "staff", name: "Staff" };

function zero() {
  return { orders: 0n, charged: 0n, refunds: 0n, refunded: 0n, cost: 0n, costed: 0n };
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function sumOf(map: Expected, name: keyof ReturnType<typeof zero>): bigint {
  return [...map.values()].reduce((sum, sums) => sum + sums[name], 0n);
}

function numbers(map: Expected) {
  return byKey(
    [...map].map(([key, sums]) => [key, Object.fromEntries(Object.entries(sums).map(([k, v]) => [k, Number(v)]))]),
  );
}

function byKey(entries: [string, unknown][]) {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function read(orderId: number) {
  const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
  if (!order) throw new Error("order not found");
  return order;
}

/** Returns a charge as a panel may write it, and what it means in micro-units, or null for nothing. */
function oddCharge(
  { pick, chance, upTo }: Random,
  cost: bigint | null,
): { says: Record<string, unknown>; means: bigint | null } {
  const micro = cost === null || chance(0.3) ? BigInt(upTo(5e6)) : cost;
  const whole = (micro / 1_000_000n).toString();
  const decimals = (micro % 1_000_000n).toString().padStart(6, "0");
  const text = `${whole}.${decimals}`;
  const forms: [Record<string, unknown>, bigint | null][] = [
    [{ charge: text }, micro],
    [{ charge: text, currency: "USD" }, micro],
    [{ charge: ` ${text}000 `, currency: "usd" }, micro],
    [{ charge: Number(text) }, micro],
    [{ charge: `${micro}e-6` }, micro],
    [{ charge: `${text}4` }, micro],
    [{ charge: `${text}5` }, micro + 1n],
    [{ charge: "0" }, 0n],
    [{ charge: 0 }, 0n],
    [{ charge: "1,234.5" }, 1_234_500_000n],
    [{}, null],
    [{ charge: null }, null],
    [{ charge: "" }, null],
    [{ charge: "free" }, null],
    [{ charge: "0.45 USD" }, 450_000n],
    [{ charge: `-${text}1` }, null],
    [{ charge: -0.5 }, null],
    [{ charge: "1,5" }, 1_500_000n],
    [{ charge: "$1.5" }, 1_500_000n],
    [{ charge: "€1.5" }, null],
    [{ charge: text, currency: "EUR" }, null],
    [{ charge: 40_000, currency: "INR" }, null],
    [{ charge: "99999999999999999999" }, null],
    [{ charge: 1e300 }, null],
    [{ charge: "1e99" }, null],
    [{ charge: [text] }, null],
  ];
  const [says, means] = pick(forms);
  return { says, means };
}

/** Places orders as the product would, all at once: with explicit ids, their charges and the balances after them. */
async function place(placed: Known[], balances: Map<string, number>, now: number): Promise<void> {
  const rows = placed.map(({ id, user, service, total, charge }) => {
    const balance = (balances.get(user) ?? 0) - Number(charge);
    balances.set(user, balance);
    return {
      id,
      user,
      service: service.id,
      total: Number(total),
      charge: Number(charge),
      balance,
      provider: service.providerId,
    };
  });
  const given = JSON.stringify(rows);
  const of = (name: string) => `(value ->> '${name}')`;
  await env.DB.batch([
    env.DB.prepare(
      `insert into orders (id, user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key, request_digest,
         source, provider_id, provider_service_id, fulfillment, created_at, updated_at)
       select ${of("id")}, ${of("user")}, ${of("service")}, 'Default', '', ${of("total")}, ${of("charge")}, 'Pending', ${of("total")},
         'sum ' || ${of("id")}, '', 'api', ${of("provider")}, iif(${of("provider")} is null, null, '1'),
         iif(${of("provider")} is null, 'manual', 'queued'), cast(?2 as integer), cast(?2 as integer)
       from json_each(?1)`,
    ).bind(given, now),
    env.DB.prepare(
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select ${of("user")}, ${of("id")}, 'charge', -(${of("charge")}), ${of("balance")}, cast(?2 as integer) from json_each(?1)`,
    ).bind(given, now),
    env.DB.prepare(
      `update wallets set balance = coalesce((select ${of("balance")} from json_each(?1)
         where ${of("user")} = wallets.user_id order by key desc limit 1), balance)`,
    ).bind(given),
  ]);
}

/** Marks orders as accepted, with the cost that the product computes. */
async function accept(accepted: Known[], now: number): Promise<void> {
  const rows = accepted.map(({ id, service, total }) => {
    const order = { quantity: Number(total), runs: 1, type: "Default" } as const;
    return { id, ...costByRate(order, service.rate === null ? null : Number(service.rate)) };
  });
  await env.DB.prepare(
    `update orders set fulfillment = 'accepted', provider_order_id = 'there-' || orders.id, cost = n.cost, cost_is_reported = n.is_reported,
       updated_at = cast(?2 as integer)
     from (select value ->> 'id' as id, value ->> 'cost' as cost, value ->> 'costIsReported' as is_reported from json_each(?1)) n
     where orders.id = n.id`,
  )
    .bind(JSON.stringify(rows), now)
    .run();
}
