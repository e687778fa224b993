import { sql } from "drizzle-orm";
import { check, index, integer, text, unique } from "drizzle-orm/sqlite-core";
import {
  currency,
  flag,
  impersonalTable,
  internal,
  kept,
  minorUnits,
  money,
  oneOf,
  personalTable,
  secret,
  shown,
  time,
} from "./column-types.server.ts";

/** Codes generated together, for the same amount. */
export const redeemBatches = impersonalTable(
  "redeem_batches",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: shown(text()).notNull(),
    /** Credited for each use of a code. */
    amount: money().notNull(),
    /** Number of codes. */
    count: integer().notNull(),
    /** Number of accounts that may use one code, once each. */
    maxUses: integer("max_uses").notNull(),
    expiresAt: time("expires_at"),
    disabledAt: time("disabled_at"),
    createdAt: time("created_at").notNull(),
  },
  () => [
    check("redeem_amount_positive", sql`"amount" > 0`),
    check("redeem_count_positive", sql`"count" >= 1 and "max_uses" >= 1`),
  ],
);

export const redeemCodes = impersonalTable(
  "redeem_codes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    batchId: integer("batch_id")
      .notNull()
      .references(() => redeemBatches.id),
    /** SHA-256 of the code, hex. The code itself is shown once and not stored. */
    digest: secret(text()).notNull().unique(),
    /** The last characters, which identify the code in a list. */
    ending: shown(text()).notNull(),
    usesLeft: integer("uses_left").notNull(),
    disabledAt: time("disabled_at"),
  },
  (table) => [
    index("redeem_codes_by_batch").on(table.batchId, table.id),
    // Refuses a code that is used up.
    check("redeem_uses_left", sql`"uses_left" >= 0`),
  ],
);

export const redeemUses = personalTable(
  "redeem_uses",
  {
    id: kept.internal(integer()).primaryKey({ autoIncrement: true }),
    codeId: kept
      .internal(integer("code_id"))
      .notNull()
      .references(() => redeemCodes.id),
    // No foreign key: the use outlives the account.
    userId: internal(text("user_id")).notNull(),
    amount: kept.exported(money()).notNull(),
    createdAt: kept.exported(time("created_at")).notNull(),
  },
  (table) => [
    unique("redeem_uses_once_per_account").on(table.codeId, table.userId),
    index("redeem_uses_by_user").on(table.userId),
  ],
);

/**
 * `open`: the customer is on the payment page. `pending`: the bank decides. `review`: paid, but not as requested,
 * so staff decide; `refused`: they declined to credit it.
 */
export const CHECKOUT_STATUSES = ["open", "pending", "paid", "failed", "expired", "review", "refused"] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];

/** A top-up by card. The row exists before the payment page does; a payment is credited through it. */
export const checkouts = personalTable(
  "checkouts",
  {
    /** Our id, passed to the payment page as `client_reference_id`. */
    id: kept.exported(text()).primaryKey(),
    // No foreign key: the payment outlives the account.
    userId: internal(text("user_id")).notNull(),
    /** Stripe's id of the checkout session. */
    sessionId: kept.internal(text("session_id")).unique(),
    /** The amount requested. */
    amount: kept.exported(money()).notNull(),
    /** The amount credited. */
    paid: kept.exported(money()),
    /** The amount paid according to Stripe, in `received_currency`. */
    received: kept.exported(minorUnits()),
    receivedCurrency: kept.exported(currency("received_currency")),
    /** Stripe's id of the payment; refunds and disputes refer to it. */
    paymentIntent: kept.internal(text("payment_intent")).unique(),
    /** The part of `paid` that was reversed to the card, and so was deducted from the balance or is owed. */
    reversed: kept.exported(money()).notNull().default(0),
    status: kept
      .exported(text({ enum: CHECKOUT_STATUSES }))
      .notNull()
      .default("open"),
    createdAt: kept.exported(time("created_at")).notNull(),
    updatedAt: kept.internal(time("updated_at")).notNull(),
  },
  (table) => [
    index("checkouts_by_user").on(table.userId, table.createdAt),
    index("checkouts_by_time").on(table.createdAt, table.id),
    index("checkouts_reversed").on(table.createdAt, table.id).where(sql`"reversed" > 0`),
    index("checkouts_to_review").on(table.createdAt, table.id).where(sql`"status" = 'review'`),
    // For their deletion.
    index("checkouts_unpaid").on(table.createdAt).where(sql`"status" in ('open', 'failed', 'expired')`),
    check("checkout_status_known", oneOf("status", CHECKOUT_STATUSES)),
    check("checkout_amount_positive", sql`"amount" > 0`),
    check("checkout_reversed_within_paid", sql`"reversed" between 0 and coalesce("paid", 0)`),
  ],
);

export const CARD_REVERSAL_KINDS = ["refund", "dispute", "unnamed"] as const;

/**
 * Money that went back to a card, as Stripe reported it: one row per refund or dispute, whether or not the
 * payment is booked yet. Refunds that `charge.refunded` counts beyond those known by id are `unnamed`.
 */
export const cardReversals = personalTable(
  "card_reversals",
  {
    /** Stripe's id of the refund or dispute, or of the payment where it is unnamed. */
    id: kept.internal(text()).primaryKey(),
    paymentIntent: kept.internal(text("payment_intent")).notNull(),
    kind: kept.exported(text({ enum: CARD_REVERSAL_KINDS })).notNull(),
    /** In the payment's currency. */
    amount: kept.exported(minorUnits()).notNull(),
    /** Off for a failed refund, a won dispute or an inquiry: no money left us. */
    inEffect: kept.internal(flag("in_effect")).notNull(),
    /** Stripe's own status. */
    status: kept.exported(text()).notNull(),
    /** When Stripe made the event (whole seconds), and its order among events of the same second. */
    eventAt: kept.internal(time("event_at")).notNull(),
    eventRank: kept.internal(integer("event_rank")).notNull(),
    createdAt: kept.exported(time("created_at")).notNull(),
  },
  (table) => [
    index("card_reversals_by_payment").on(table.paymentIntent),
    check("card_reversal_kind_known", oneOf("kind", CARD_REVERSAL_KINDS)),
    check("card_reversal_amount_not_negative", sql`"amount" >= 0`),
    check("card_reversal_in_effect_is_flag", sql`"in_effect" in (0, 1)`),
  ],
);
