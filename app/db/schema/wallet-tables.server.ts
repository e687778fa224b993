import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, unique } from "drizzle-orm/sqlite-core";
import {
  day,
  exported,
  flag,
  impersonalTable,
  internal,
  json,
  kept,
  money,
  oneOf,
  personalTable,
  shown,
  time,
} from "./column-types.server.ts";
import { orders } from "./order-tables.server.ts";
import { tiers } from "./price-tables.server.ts";

/** One per account. The CHECK refuses an order the balance does not cover. */
export const wallets = personalTable(
  "wallets",
  {
    // Kept when the account is deleted, because the ledger must still add up.
    userId: internal(text("user_id")).primaryKey(),
    balance: kept.exported(money()).notNull().default(0),
    /** The `balance.low` webhook is sent when the balance falls below this. */
    lowBalanceThreshold: exported(money("low_balance_threshold")),
    lowBalanceNotified: internal(flag("low_balance_notified")).notNull().default(false),
    /**
     * Card refunds and disputes the balance could not cover. A trigger on the ledger
     * settles it from every credit, so the balance is 0 while this is above 0.
     */
    owed: kept.exported(money()).notNull().default(0),
    /** The tier that staff assigned. Null: the usual prices. A trigger raises the version of the catalog on a change. */
    tierId: internal(integer("tier_id")).references(() => tiers.id),
    /** The version of the catalog when it was assigned: prices seen before that were other ones. */
    tierFrom: internal(integer("tier_from")),
  },
  (table) => [
    // A tier's customers.
    index("wallets_by_tier").on(table.tierId, table.userId).where(sql`"tier_id" is not null`),
    // Wallets whose notice is due, and those whose notice ends. Almost always empty.
    index("wallets_low")
      .on(table.userId)
      .where(sql`"low_balance_notified" = 0 and "balance" < "low_balance_threshold"`),
    index("wallets_recovered")
      .on(table.userId)
      .where(sql`"low_balance_notified" = 1 and "balance" >= "low_balance_threshold"`),
    check("wallet_balance_not_negative", sql`"balance" >= 0`),
    check("wallet_owed_not_negative", sql`"owed" >= 0`),
  ],
);

/** `reversal`: a card payment that went back, or, if positive, one that was recovered. */
export const LEDGER_KINDS = ["charge", "refund", "topup", "adjustment", "reversal"] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** Append-only. An account's amounts add up to its balance. */
export const ledger = personalTable(
  "ledger",
  {
    id: kept.exported(integer()).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => wallets.userId),
    orderId: kept.exported(integer("order_id"), "order").references(() => orders.id),
    kind: kept.exported(text({ enum: LEDGER_KINDS })).notNull(),
    /** Signed: a charge is negative. */
    amount: kept.exported(money()).notNull(),
    balanceAfter: kept.exported(money("balance_after")).notNull(),
    note: exported(text()).notNull().default(""),
    createdAt: kept.exported(time("created_at")).notNull(),
  },
  (table) => [
    unique("ledger_once_per_order_and_kind").on(table.orderId, table.kind),
    index("ledger_by_user").on(table.userId, table.id),
    // Leaves out charges, which are most entries and are never searched by kind.
    index("ledger_credits_by_user").on(table.userId, table.kind, table.id).where(sql`"kind" <> 'charge'`),
    check("ledger_kind_known", oneOf("kind", LEDGER_KINDS)),
    check("ledger_balance_not_negative", sql`"balance_after" >= 0`),
    check("ledger_order_for_order_kinds", sql`("kind" in ('charge', 'refund')) = ("order_id" is not null)`),
  ],
);

/** Balance changes per UTC day. The cron trigger sums them up from the ledger; see spending.server.ts. */
export const spendingDays = personalTable(
  "spending_days",
  {
    userId: internal(text("user_id")).notNull(),
    day: exported(day()).notNull(),
    /** Charges less refunds. */
    spent: exported(money()).notNull().default(0),
    /** Top-ups and adjustments, signed. */
    added: exported(money()).notNull().default(0),
    orders: exported(integer()).notNull().default(0),
    /** After the day's last entry. */
    balance: exported(money()).notNull(),
    /** By how much the costs of the customer's orders grew on that day. Never shown to customers. */
    cost: internal(money()).notNull().default(0),
    /** The part of `spent` from orders without a provider, whose cost nobody knows. */
    byHand: internal(money("by_hand")).notNull().default(0),
    /** Refunded orders, in full or in part, and the sum of their refunds. */
    refunds: exported(integer()).notNull().default(0),
    refunded: exported(money()).notNull().default(0),
    /** How the orders placed on that day ended, named as in `service_days.ended`. See customer-endings.server.ts. */
    ended: internal(json<Record<string, number>>()).notNull().default({}),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.day] }),
    // The customers of a period, for the console.
    index("spending_days_by_day").on(table.day),
  ],
);

/**
 * Every change of an order's cost, by a trigger on `orders`: its amounts add up to its cost, as the ledger's do to a balance.
 * Kept for 400 days; what they add up to stays in `order_cost_sums`.
 */
export const orderCosts = personalTable(
  "order_costs",
  {
    id: kept.internal(integer()).primaryKey(),
    orderId: kept
      .internal(integer("order_id"))
      .notNull()
      .references(() => orders.id),
    /** Signed: a provider that takes less than was expected leaves a negative one. */
    amount: kept.internal(money()).notNull(),
    /** 1: the cost became known. -1: it is not known any more. 0: it was and is. */
    costed: kept.internal(integer()).notNull(),
    createdAt: kept.internal(time("created_at")).notNull(),
  },
  // No index: a job reads each row once by its id, and checks what a hundred orders add up to.
  () => [check("order_cost_change_known", sql`"costed" between -1 and 1`)],
);

/** Totals of the changes in `order_costs` that are summed up, for a hundred orders each. */
export const orderCostSums = impersonalTable("order_cost_sums", {
  /** The ids of its orders divided by 100. */
  block: integer().primaryKey(),
  cost: money().notNull(),
});

/** Totals of a day's entries in the ledger and in `order_costs`. */
const sales = {
  /** Charged orders. */
  orders: integer().notNull().default(0),
  charged: money().notNull().default(0),
  /** Refunded orders, in full or in part. */
  refunds: integer().notNull().default(0),
  refunded: money().notNull().default(0),
  /** By how much costs grew. Below 0 on a day on which providers gave more back than they took. */
  cost: money().notNull().default(0),
  /** Orders whose cost became known, less those whose cost is not known any more. */
  costed: integer().notNull().default(0),
};

/** Sales per UTC day, service and provider. The cron trigger sums them up; see app/orders/sales. */
export const salesDays = impersonalTable(
  "sales_days",
  {
    day: day().notNull(),
    // No foreign keys: what was sold stays sold.
    serviceId: integer("service_id").notNull(),
    /** 0: fulfilled by staff. */
    providerId: integer("provider_id").notNull(),
    ...sales,
  },
  // By day, so that a period is one range, and what is old is deleted without an index.
  (table) => [primaryKey({ columns: [table.day, table.serviceId, table.providerId] })],
);

/** Totals of a day's rows in `sales_days`, so that the figures of a month cost 30 rows however many services sell. */
export const salesDayTotals = impersonalTable("sales_day_totals", {
  day: day().primaryKey(),
  ...sales,
  /** The part of charged less refunded from orders without a provider, whose cost nobody knows. */
  byHand: money("by_hand").notNull().default(0),
  /** The lowest and highest ids that were summed up, by which the nightly check finds them again. Null: none. */
  firstEntryId: integer("first_entry_id"),
  lastEntryId: integer("last_entry_id"),
  firstCostId: integer("first_cost_id"),
  lastCostId: integer("last_cost_id"),
});

/** The last id each job has read from the table it goes through in steps; for a job without one, when it last ran (ms). */
export const rollups = impersonalTable("rollups", {
  name: shown(text()).primaryKey(),
  upToId: integer("up_to_id").notNull(),
});

/** Broken rules of the ledger. The nightly check adds them and deletes those that are fixed; see nightly-ledger-check.server.ts. */
export const ledgerFaults = impersonalTable(
  "ledger_faults",
  {
    id: integer().primaryKey(),
    rule: shown(text()).notNull(),
    /** The id of a ledger entry, an order or a wallet. */
    subject: shown(text()).notNull(),
    isNow: money("is_now").notNull(),
    shouldBe: money("should_be").notNull(),
    foundAt: time("found_at").notNull(),
  },
  (table) => [unique("ledger_faults_once").on(table.rule, table.subject)],
);
