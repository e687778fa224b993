import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { flag, oneOf } from "./column-types.server.ts";
import { orders } from "./order-tables.server.ts";

/** One per account. The CHECK refuses an order the balance does not cover. */
export const wallets = sqliteTable(
  "wallets",
  {
    // Kept when the account is deleted, because the ledger must still add up.
    userId: text("user_id").primaryKey(),
    balance: integer().notNull().default(0),
    /** The `balance.low` webhook is sent when the balance falls below this. Micro-units. */
    lowBalanceThreshold: integer("low_balance_threshold"),
    lowBalanceNotified: flag("low_balance_notified").notNull().default(false),
    /**
     * Card refunds and disputes the balance could not cover. Micro-units. A trigger on the ledger
     * settles it from every credit, so the balance is 0 while this is above 0.
     */
    owed: integer().notNull().default(0),
  },
  (table) => [
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

/** Append-only. An account's amounts add up to its balance. */
export const ledger = sqliteTable(
  "ledger",
  {
    id: integer().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => wallets.userId),
    orderId: integer("order_id").references(() => orders.id),
    kind: text({ enum: LEDGER_KINDS }).notNull(),
    /** Signed: a charge is negative. */
    amount: integer().notNull(),
    balanceAfter: integer("balance_after").notNull(),
    note: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
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
export const spendingDays = sqliteTable(
  "spending_days",
  {
    userId: text("user_id").notNull(),
    /** Days since 1970. */
    day: integer().notNull(),
    /** Charges less refunds. Micro-units. */
    spent: integer().notNull().default(0),
    /** Top-ups and adjustments. Micro-units, signed. */
    added: integer().notNull().default(0),
    orders: integer().notNull().default(0),
    /** After the day's last entry. Micro-units. */
    balance: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.day] })],
);

/** The last id each job has read from the table it goes through in steps; for a job without one, when it last ran (ms). */
export const rollups = sqliteTable("rollups", {
  name: text().primaryKey(),
  upToId: integer("up_to_id").notNull(),
});

/** Broken rules of the ledger. The nightly check adds them and deletes those that are fixed; see nightly-ledger-check.server.ts. */
export const ledgerFaults = sqliteTable(
  "ledger_faults",
  {
    id: integer().primaryKey(),
    rule: text().notNull(),
    /** The id of a ledger entry, an order or a wallet. */
    subject: text().notNull(),
    /** Micro-units. */
    isNow: integer("is_now").notNull(),
    shouldBe: integer("should_be").notNull(),
    foundAt: integer("found_at").notNull(),
  },
  (table) => [unique("ledger_faults_once").on(table.rule, table.subject)],
);
