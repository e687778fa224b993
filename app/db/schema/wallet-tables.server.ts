import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { flag, oneOf } from "./column-types.server.ts";
import { orders } from "./order-tables.server.ts";

/** One per account; the CHECK is what stops an order that the balance does not cover. */
export const wallets = sqliteTable(
  "wallets",
  {
    // Kept when the person is deleted, because the ledger must still add up.
    userId: text("user_id").primaryKey(),
    balance: integer().notNull().default(0),
    /** Tell the owner's webhooks when the balance falls below this. Micro-units. */
    lowBalanceAt: integer("low_balance_at"),
    lowBalanceTold: flag("low_balance_told").notNull().default(false),
    /**
     * What went back to a card after it was spent here, and was not paid again. Micro-units. A trigger on the ledger
     * settles it from whatever comes in, so while it is above 0 the balance is 0.
     */
    owed: integer().notNull().default(0),
  },
  () => [
    check("wallet_balance_not_negative", sql`"balance" >= 0`),
    check("wallet_owed_not_negative", sql`"owed" >= 0`),
  ],
);

/** `reversal`: a card payment that went back, or, above 0, one that went back and was won again. */
export const LEDGER_KINDS = ["charge", "refund", "topup", "adjustment", "reversal"] as const;

/** Append-only. The sum of an account's amounts is its wallet's balance. */
export const ledger = sqliteTable(
  "ledger",
  {
    id: integer().primaryKey({ autoIncrement: true }),
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
    // Charges are the many: they are found without it.
    index("ledger_credits_by_user").on(table.userId, table.kind, table.id).where(sql`"kind" <> 'charge'`),
    check("ledger_kind_known", oneOf("kind", LEDGER_KINDS)),
    check("ledger_balance_not_negative", sql`"balance_after" >= 0`),
    check("ledger_order_for_order_kinds", sql`("kind" in ('charge', 'refund')) = ("order_id" is not null)`),
  ],
);

/** What moved a balance on one day, UTC. Summed up from the ledger by the cron trigger; see spending.server.ts. */
export const spendingDays = sqliteTable(
  "spending_days",
  {
    userId: text("user_id").notNull(),
    /** Days since 1970. */
    day: integer().notNull(),
    /** Charges, less what went back. Micro-units. */
    spent: integer().notNull().default(0),
    /** Top-ups and adjustments. Micro-units, signed. */
    added: integer().notNull().default(0),
    orders: integer().notNull().default(0),
    /** After the day's last entry. Micro-units. */
    balance: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.day] })],
);

/** How far a sum has read the table that it sums up. */
export const rollups = sqliteTable("rollups", {
  name: text().primaryKey(),
  upToId: integer("up_to_id").notNull(),
});
