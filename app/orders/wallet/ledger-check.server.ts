import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { COSTS_KEPT_DAYS, PROVIDER_USE_KEPT_DAYS, SALES_KEPT_DAYS } from "#app/orders/sales/old-sales.server.ts";
import { blockOf, ORDERS_PER_SUM } from "#app/orders/sales/sum-up-sales.server.ts";
import { DAY_MS } from "#app/time.ts";
import { SPENDING_DAYS_KEPT } from "./spending.server.ts";

/** The rows a rule goes through: wallets (`w`), ledger entries (`l`), orders (`o`) or days of sales (`d`). */
export type LedgerSubject = "wallet" | "entry" | "order" | "day";

type LedgerRule = {
  subject: LedgerSubject;
  /** Selects the subjects that break the rule, among those `where` selects. Amounts are micro-units. */
  faults: (where: SQL) => SQL;
  /**
   * Reads the whole history of a wallet, so the nightly check leaves it out. The rules of its entries and its last
   * entry say the same.
   */
  readsHistory?: true;
};

const lastEntry = sql`(select max(id) from ledger where user_id = w.user_id)`;
const balanceBefore = sql`coalesce(
  (select p.balance_after from ledger p where p.user_id = l.user_id and p.id < l.id order by p.id desc limit 1), 0)`;

const idsOfBlock = sql.raw(
  `between b.block * ${ORDERS_PER_SUM} and b.block * ${ORDERS_PER_SUM} + ${ORDERS_PER_SUM - 1}`,
);

/**
 * Selects the sum of what was created on the day `d` and is summed up. Ids grow with the time, but for a moment around
 * midnight, so it is searched among all ids between the day before and the day after: nothing can be left out unseen.
 */
function sumOfDay(list: {
  table: string;
  amount: string;
  where?: string;
  first: string;
  last: string;
  job: string;
}): SQL {
  const { table, amount, where = "1", first, last, job } = list;
  return sql.raw(`(with bounds(day, own_first, own_last, before, after, summed) as materialized (select d.day, d.${first}, d.${last},
      coalesce((select p.${last} from sales_day_totals p where p.day < d.day and p.${last} is not null order by p.day desc limit 1), 0),
      (select n.${first} from sales_day_totals n where n.day > d.day and n.${first} is not null order by n.day limit 1),
      coalesce((select up_to_id from rollups where name = '${job}'), 0))
    select coalesce(sum(${amount}), 0) from bounds b cross join ${table} e
    where e.id > min(coalesce(b.own_first - 1, b.before), b.before)
      and e.id <= min(b.summed, max(coalesce(b.own_last, 0), coalesce(b.after - 1, b.summed)))
      and e.created_at / ${DAY_MS} = b.day and ${where})`);
}

const entriesOfDay = { table: "ledger", first: "first_entry_id", last: "last_entry_id", job: "spending" };
const costsOfDay = { table: "order_costs", first: "first_cost_id", last: "last_cost_id", job: "costs" };

/** A rule of days, which are named by their date. With `keptDays`, of those whose rows are all still there. */
function ruleOfDays(isNow: string, shouldBe: SQL, keptDays?: number): LedgerRule {
  const first = () => (keptDays === undefined ? 0 : Math.floor(Date.now() / DAY_MS) - keptDays);
  return {
    subject: "day",
    faults: (where) => sql`
      select date(d.day * 86400, 'unixepoch') as subject, ${sql.raw(isNow)} as is_now, ${shouldBe} as should_be
      from sales_day_totals d where ${where} and d.day >= cast(${first()} as integer) and is_now <> should_be`,
  };
}

/** Returns the first day whose rows are all still there. */
function firstDayOf(keptDays: number): number {
  return Math.floor(Date.now() / DAY_MS) - keptDays;
}

function sumOfServices(amount: string): SQL {
  return sql.raw(`(select coalesce(sum(${amount}), 0) from sales_days s where s.day = d.day)`);
}

/** An account that is deleted has no days of its own any more. Its entries and orders keep a random id: anonymize-orders.server.ts. */
const isKept = (userId: string) => `substr(${userId}, 1, 8) <> 'deleted-'`;
const sumOfCustomers = (amount: string) =>
  `(select coalesce(sum(${amount}), 0) from spending_days s where s.day = d.day and ${isKept("s.user_id")})`;

/** Invariants of the money. */
export const LEDGER_RULES: Record<string, LedgerRule> = {
  "a balance is the sum of its ledger entries": {
    subject: "wallet",
    readsHistory: true,
    faults: (where) => sql`
      select w.user_id as subject, w.balance as is_now,
        (select coalesce(sum(amount), 0) from ledger where user_id = w.user_id) as should_be
      from wallets w where ${where} and is_now <> should_be`,
  },
  "the last ledger entry holds the current balance": {
    subject: "wallet",
    faults: (where) => sql`
      select w.user_id as subject, w.balance as is_now, coalesce(l.balance_after, 0) as should_be
      from wallets w left join ledger l on l.id = ${lastEntry}
      where ${where} and is_now <> should_be`,
  },
  "an entry continues from the balance of the entry before": {
    subject: "entry",
    faults: (where) => sql`
      select l.id as subject, l.balance_after as is_now, ${balanceBefore} + l.amount as should_be
      from ledger l where ${where} and is_now <> should_be`,
  },
  "no entry leaves a negative balance": {
    subject: "entry",
    faults: (where) => sql`
      select l.id as subject, l.balance_after as is_now, 0 as should_be from ledger l where ${where} and is_now < 0`,
  },
  "every charge has a ledger entry": {
    subject: "order",
    faults: (where) => sql`
      select o.id as subject, o.charge as is_now, coalesce(-l.amount, 0) as should_be
      from orders o left join ledger l on l.order_id = o.id and l.kind = 'charge'
      where ${where} and o.is_test = 0 and (l.id is null or is_now <> should_be or l.user_id <> o.user_id)`,
  },
  "every refund has a ledger entry": {
    subject: "order",
    faults: (where) => sql`
      select o.id as subject, o.refunded as is_now, coalesce(l.amount, 0) as should_be
      from orders o left join ledger l on l.order_id = o.id and l.kind = 'refund'
      where ${where} and (is_now <> should_be or (l.id is not null and l.user_id <> o.user_id))`,
  },
  "the costs of a hundred orders are the sum of their changes": {
    // Named by the first of the hundred.
    subject: "order",
    faults: (where) => sql`
      with waiting(block, cost) as materialized (select ${blockOf("c.order_id")}, sum(c.amount) from order_costs c
        where c.id > coalesce((select up_to_id from rollups where name = 'costs'), 0) group by 1)
      select min(n.id) as subject, coalesce(sum(n.cost), 0) as is_now,
        coalesce((select s.cost from order_cost_sums s where s.block = b.block), 0)
          + coalesce((select w.cost from waiting w where w.block = b.block), 0) as should_be
      from (select distinct ${blockOf("o.id")} as block from orders o where ${where}) b
      cross join orders n on n.id ${idsOfBlock}
      group by b.block having is_now <> should_be`,
  },
  "a day's charges are those of the ledger": ruleOfDays(
    "d.charged",
    sumOfDay({ ...entriesOfDay, amount: "-e.amount", where: "e.kind = 'charge'" }),
  ),
  "a day's refunds are those of the ledger": ruleOfDays(
    "d.refunded",
    sumOfDay({ ...entriesOfDay, amount: "e.amount", where: "e.kind = 'refund'" }),
  ),
  "a day's cost is what the costs of orders changed by": ruleOfDays(
    "d.cost",
    sumOfDay({ ...costsOfDay, amount: "e.amount" }),
    COSTS_KEPT_DAYS,
  ),
  "the revenue of a day's services adds up to the day's": ruleOfDays(
    "d.charged - d.refunded",
    sumOfServices("s.charged - s.refunded"),
    SALES_KEPT_DAYS,
  ),
  "the cost of a day's services adds up to the day's": ruleOfDays("d.cost", sumOfServices("s.cost"), SALES_KEPT_DAYS),
  "a day's orders are the charges of the ledger": ruleOfDays(
    "d.orders",
    sumOfDay({ ...entriesOfDay, amount: "1", where: "e.kind = 'charge'" }),
  ),
  "the orders of known cost of a day are those of its costs": ruleOfDays(
    "d.costed",
    sumOfDay({ ...costsOfDay, amount: "e.costed" }),
    COSTS_KEPT_DAYS,
  ),
  "a day's revenue by hand is that of its services without a provider": ruleOfDays(
    "d.by_hand",
    sumOfServices("iif(s.provider_id = 0, s.charged - s.refunded, 0)"),
    SALES_KEPT_DAYS,
  ),
  "the spending of a day's customers is that of the ledger": ruleOfDays(
    sumOfCustomers("s.spent"),
    sumOfDay({
      ...entriesOfDay,
      amount: "-e.amount",
      where: `e.kind in ('charge', 'refund') and ${isKept("e.user_id")}`,
    }),
    SPENDING_DAYS_KEPT,
  ),
  "the orders of a day's customers are the charges of the ledger": ruleOfDays(
    sumOfCustomers("s.orders"),
    sumOfDay({ ...entriesOfDay, amount: "1", where: `e.kind = 'charge' and ${isKept("e.user_id")}` }),
    SPENDING_DAYS_KEPT,
  ),
  "the refunds of a day's customers are those of the ledger": ruleOfDays(
    sumOfCustomers("s.refunded"),
    sumOfDay({ ...entriesOfDay, amount: "e.amount", where: `e.kind = 'refund' and ${isKept("e.user_id")}` }),
    SPENDING_DAYS_KEPT,
  ),
  "the refunded orders of a day's customers are those of the ledger": ruleOfDays(
    sumOfCustomers("s.refunds"),
    sumOfDay({ ...entriesOfDay, amount: "1", where: `e.kind = 'refund' and ${isKept("e.user_id")}` }),
    SPENDING_DAYS_KEPT,
  ),
  "the cost of a day's customers is what the costs of their orders changed by": ruleOfDays(
    sumOfCustomers("s.cost"),
    sumOfDay({
      ...costsOfDay,
      amount: "e.amount",
      where: `(select ${isKept("o.user_id")} from orders o where o.id = e.order_id)`,
    }),
    Math.min(COSTS_KEPT_DAYS, SPENDING_DAYS_KEPT),
  ),
  "the revenue by hand of a day's customers is that of their orders without a provider": ruleOfDays(
    sumOfCustomers("s.by_hand"),
    sumOfDay({
      ...entriesOfDay,
      amount: "-e.amount",
      where: `e.kind in ('charge', 'refund')
        and (select o.provider_id is null and ${isKept("o.user_id")} from orders o where o.id = e.order_id)`,
    }),
    SPENDING_DAYS_KEPT,
  ),
  "the costs at each provider are those of its services": {
    // What is compared are the sums of the amounts that differ.
    subject: "day",
    faults: (where) => sql`
      with use(day, provider_id, cost) as (select u.day, u.provider_id, u.cost from provider_use_days u
          where u.day in (select d.day from sales_day_totals d where ${where})),
        sold(day, provider_id, cost) as (select s.day, s.provider_id, sum(s.cost) from sales_days s
          where s.provider_id <> 0 and s.day in (select d.day from sales_day_totals d where ${where})
          group by s.day, s.provider_id)
      select date(b.day * 86400, 'unixepoch') as subject, sum(b.use_cost) as is_now, sum(b.sold_cost) as should_be
      from (select day, provider_id, sum(use_cost) as use_cost, sum(sold_cost) as sold_cost
          from (select day, provider_id, cost as use_cost, 0 as sold_cost from use
            union all select day, provider_id, 0, cost from sold)
          group by day, provider_id having sum(use_cost) <> sum(sold_cost)) b
      where b.day >= cast(${firstDayOf(PROVIDER_USE_KEPT_DAYS)} as integer) group by b.day`,
  },
  "a wallet with debt has no balance": {
    subject: "wallet",
    faults: (where) => sql`
      select w.user_id as subject, w.balance as is_now, 0 as should_be
      from wallets w where ${where} and w.owed > 0 and is_now > 0`,
  },
  "card refunds and disputes are debited or owed": {
    subject: "wallet",
    // Repeats the condition of the index ledger_credits_by_user.
    faults: (where) => sql`
      select w.user_id as subject,
        w.owed - (select coalesce(sum(l.amount), 0) from ledger l
          where l.user_id = w.user_id and l.kind = 'reversal' and l.kind <> 'charge') as is_now,
        (select coalesce(sum(reversed), 0) from checkouts c where c.user_id = w.user_id) as should_be
      from wallets w where ${where} and is_now <> should_be`,
  },
};

/** `subject` is the id of what broke the rule: `order 17`, `entry 17`, `wallet` and the user's id. */
export type LedgerFault = { rule: string; subject: string; is_now: number; should_be: number };

/** Returns every broken rule. Reads all wallets, orders and entries, so never call it within a request. */
export async function checkLedger(db: Db): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const [rule, { subject, faults: query }] of Object.entries(LEDGER_RULES)) {
    const rows = await db.all<Omit<LedgerFault, "rule">>(query(sql`1`));
    faults.push(...rows.map((row) => ({ ...row, rule, subject: `${subject} ${row.subject}` })));
  }
  return faults;
}
