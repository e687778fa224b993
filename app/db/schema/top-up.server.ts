import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { oneOf } from "./columns.server.ts";

/** Codes that were made at once, for the same amount. */
export const redeemBatches = sqliteTable(
  "redeem_batches",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** Micro-units that each use of a code brings. */
    amount: integer().notNull(),
    /** How many codes. */
    count: integer().notNull(),
    /** How many accounts may use one code, each of them once. */
    maxUses: integer("max_uses").notNull(),
    expiresAt: integer("expires_at"),
    disabledAt: integer("disabled_at"),
    createdAt: integer("created_at").notNull(),
  },
  () => [
    check("redeem_amount_positive", sql`"amount" > 0`),
    check("redeem_count_positive", sql`"count" >= 1 and "max_uses" >= 1`),
  ],
);

export const redeemCodes = sqliteTable(
  "redeem_codes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    batchId: integer("batch_id")
      .notNull()
      .references(() => redeemBatches.id),
    /** SHA-256 of the code, hex. The code itself is shown once and not kept. */
    digest: text().notNull().unique(),
    /** The last characters, so that a person recognises a code in a list. */
    ending: text().notNull(),
    usesLeft: integer("uses_left").notNull(),
    disabledAt: integer("disabled_at"),
  },
  (table) => [
    index("redeem_codes_by_batch").on(table.batchId, table.id),
    // What refuses a code that is used up.
    check("redeem_uses_left", sql`"uses_left" >= 0`),
  ],
);

export const redeemUses = sqliteTable(
  "redeem_uses",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    codeId: integer("code_id")
      .notNull()
      .references(() => redeemCodes.id),
    // No foreign key: the use outlives the account.
    userId: text("user_id").notNull(),
    amount: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    unique("redeem_uses_once_per_account").on(table.codeId, table.userId),
    index("redeem_uses_by_user").on(table.userId),
  ],
);

/** `open`: the customer is at the payment page. `pending`: the bank decides. `review`: paid, but not as it was asked for. */
export const CHECKOUT_STATUSES = ["open", "pending", "paid", "failed", "expired", "review"] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];

/** A top-up by card. The row is there before the payment page is, and is what a payment is credited by. */
export const checkouts = sqliteTable(
  "checkouts",
  {
    /** Ours, handed to the payment page as `client_reference_id`. */
    id: text().primaryKey(),
    // No foreign key: the payment outlives the account.
    userId: text("user_id").notNull(),
    /** Stripe's id of the payment page. */
    sessionId: text("session_id").unique(),
    /** Asked for; micro-units. */
    amount: integer().notNull(),
    /** What Stripe says was paid; micro-units. */
    paid: integer(),
    status: text({ enum: CHECKOUT_STATUSES }).notNull().default("open"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("checkouts_by_user").on(table.userId, table.createdAt),
    index("checkouts_to_review").on(table.createdAt).where(sql`"status" = 'review'`),
    check("checkout_status_known", oneOf("status", CHECKOUT_STATUSES)),
    check("checkout_amount_positive", sql`"amount" > 0`),
  ],
);
