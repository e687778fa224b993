import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, unique, uniqueIndex } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { ORDER_TYPES, providers, services } from "./catalog-tables.server.ts";
import {
  exported,
  flag,
  impersonalTable,
  internal,
  json,
  kept,
  MAX_INT32_SQL,
  money,
  oneOf,
  personalTable,
  secret,
  time,
} from "./column-types.server.ts";

export const ORDER_STATUSES = ["Pending", "Processing", "In progress", "Completed", "Partial", "Canceled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * The progress of an order's submission to its provider.
 * `manual`: fulfilled by staff. `queued`: to be submitted. `submitting`: a call may be in flight.
 * `accepted`: the provider returned an id. `rejected`: it refused, and the charge was refunded.
 * `held`: the outcome of the call is unknown, so a person decides.
 */
export const FULFILLMENT_STATES = ["manual", "queued", "submitting", "accepted", "rejected", "held"] as const;
export type FulfillmentState = (typeof FULFILLMENT_STATES)[number];

/**
 * Why an order is held. `cut_off`: its submission was. `unclear_answer`: the provider's answer to it tells nothing.
 * `id_taken`: the provider's id is another order's. `provider_changed`: staff changed the provider, which may have the
 * order. `unreadable`: its status can't be read. `no_remains`: it ended, and what was delivered is not told.
 * `refused_too_long`: its provider kept refusing it for the moment. `account_deleted`: the provider may have it, and its
 * fields are gone. `splits_comments`: its provider would split a comment at a comma, so it wasn't sent. `restored`: it
 * waited to be sent when the backup was made, and may have been sent since.
 */
export const HOLD_REASONS = [
  "cut_off",
  "unclear_answer",
  "id_taken",
  "provider_changed",
  "unreadable",
  "no_remains",
  "refused_too_long",
  "account_deleted",
  "splits_comments",
  "restored",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** The tier or percent code that an order's price follows, as it was at placing. */
export type AppliedPriceRule = {
  kind: "tier" | "code";
  id: number;
  name: string;
  /** Null: a tier with a rate of its own for the service. */
  basisPoints: number | null;
};

/** A flat object of the API's caller. */
export type OrderMetadata = Record<string, string | number | boolean>;

export const orders = personalTable(
  "orders",
  {
    // No AUTOINCREMENT: an order is never deleted, so no id is used twice.
    id: kept.exported(integer()).primaryKey(),
    // No foreign key: an order outlives its account.
    userId: internal(text("user_id")).notNull(),
    serviceId: kept
      .exported(integer("service_id"), "service")
      .notNull()
      .references(() => services.id),
    type: kept.exported(text({ enum: ORDER_TYPES })).notNull(),
    link: exported(text()).notNull(),
    /** The same for all forms of one link, see link-key.server.ts. Null: a test order, or the account is deleted. */
    linkKey: internal(integer("link_key")),
    /** Pieces in one run. */
    quantity: kept.exported(integer()).notNull(),
    runs: kept.exported(integer()).notNull().default(1),
    intervalMinutes: kept.exported(integer("interval_minutes")),
    /** The type's own fields, sent to the provider unchanged: comments, usernames, keywords … */
    providerFields: exported(json<Record<string, string | number>>("provider_fields")).notNull().default({}),
    charge: kept.exported(money()).notNull(),
    /** Null: the price of everybody. */
    priceRule: kept.exported(json<AppliedPriceRule>("price_rule")),
    /** Amount that the rule took off the charge. */
    discount: kept.exported(money()).notNull().default(0),
    refunded: kept.exported(money()).notNull().default(0),
    status: kept
      .exported(text({ enum: ORDER_STATUSES }))
      .notNull()
      .default("Pending"),
    startCount: kept.exported(integer("start_count")),
    remains: kept.exported(integer()).notNull(),
    source: kept.exported(text({ enum: ["web", "api"] })).notNull(),
    /** The API key that placed the order. A trigger counts the charge against the key's daily cap. No foreign key: an order outlives its key. */
    apiKeyId: internal(text("api_key_id")),
    providerId: kept.internal(integer("provider_id")).references(() => providers.id),
    providerServiceId: kept.internal(text("provider_service_id")),
    providerOrderId: kept.internal(text("provider_order_id")),
    /**
     * What the provider takes for it. Null: not known, or nobody was asked. A trigger notes each change in
     * `order_costs`. Never shown to customers.
     */
    cost: kept.internal(money()),
    /** True: the provider's own charge, in an answer about the order. False: computed from its rate. Null: not known. */
    costIsReported: kept.internal(flag("cost_is_reported")),
    fulfillment: kept.internal(text({ enum: FULFILLMENT_STATES })).notNull(),
    /** Set while held only. */
    heldFor: kept.internal(text("held_for", { enum: HOLD_REASONS })),
    /**
     * What happened to it, oldest first: a letter for each step and the seconds since it was placed, as in "a12i95C340".
     * In the row itself, because a row of another table for each step would be a written row more.
     */
    history: kept.internal(text()).notNull().default(""),
    /** While queued: not to be sent before. While submitting: the call is cut off after this. */
    leaseUntil: kept.internal(time("lease_until")).notNull().default(0),
    attempts: kept.internal(integer()).notNull().default(0),
    /** Set by a call with an idempotency key: the provider may have the order, and may get it again until then. */
    resendUntil: kept.internal(time("resend_until")),
    /** Why its provider refused it for the moment, the last time. The name of a meaning, see error-meanings.ts. */
    deferredFor: kept.internal(text("deferred_for")),
    /** Number of refusals in a row for that reason, and the time of the first. */
    deferrals: kept.internal(integer()).notNull().default(0),
    deferredSince: kept.internal(time("deferred_since")).notNull().default(0),
    /** When the provider's status could not be read for the first time in a row. 0: it can be read. */
    unreadableSince: kept.internal(time("unreadable_since")).notNull().default(0),
    /** Placed with a test key: never charged, never submitted, its progress simulated. */
    isTest: kept.exported(flag("is_test")).notNull().default(false),
    /** When nine of ten orders of the service were done, as it was known at placing. Null: not known. */
    expectedBy: kept.exported(time("expected_by")),
    /** The service's refill days at placing. */
    refillDays: kept.exported(integer("refill_days")),
    /** From then on it can't be refilled. Null: not ended, or no days were named at placing. */
    refillUntil: kept.exported(time("refill_until")),
    /** The caller's own text, by which the API finds the order again. */
    reference: exported(text()),
    /** Notes that the caller of the API reads again with the order. Bounded by order-notes.server.ts. */
    metadata: exported(json<OrderMetadata>()),
    /** The caller's key, or a generated one. */
    idempotencyKey: exported(text("idempotency_key")).notNull(),
    /** Digest of the submitted fields: the same key with different content is refused. See request-digest.server.ts. */
    requestDigest: secret(text("request_digest")).notNull(),
    createdAt: kept.exported(time("created_at")).notNull(),
    updatedAt: kept.internal(time("updated_at")).notNull(),
  },
  (table) => [
    unique("orders_once_per_key").on(table.userId, table.idempotencyKey),
    // A customer's list. Test orders are apart: any number of them, which cost nothing, must not slow it down.
    index("orders_by_user").on(table.userId, table.id).where(sql`"is_test" = 0`),
    // Orders without a reference, and live ones, cost these indexes no row.
    index("orders_by_reference")
      .on(table.userId, table.isTest, table.reference, table.id)
      .where(sql`"reference" is not null`),
    index("orders_of_tests").on(table.userId, table.id).where(sql`"is_test" = 1`),
    // The console's lists. They leave out test orders; completed ones are found by id.
    index("orders_by_status").on(table.status, table.id).where(sql`"is_test" = 0 and "status" <> 'Completed'`),
    index("orders_held").on(table.id).where(sql`"fulfillment" = 'held' and "is_test" = 0`),
    index("orders_held_for").on(table.heldFor, table.id).where(sql`"fulfillment" = 'held' and "is_test" = 0`),
    index("orders_by_link").on(table.linkKey, table.id).where(sql`"link_key" is not null and "is_test" = 0`),
    index("orders_by_service").on(table.serviceId, table.id).where(sql`"is_test" = 0`),
    // For staff, who look for a reference whoever's it is.
    index("orders_by_any_reference")
      .on(table.reference, table.id)
      .where(sql`"reference" is not null and "is_test" = 0`),
    // Orders at providers, which are most of the open ones, cost it no row.
    index("orders_by_hand")
      .on(table.id)
      .where(sql`"fulfillment" = 'manual' and "is_test" = 0 and "status" in ('Pending', 'Processing', 'In progress')`),
    uniqueIndex("orders_by_provider_order")
      .on(table.providerOrderId, table.providerId)
      .where(sql`"provider_order_id" is not null`),
    // A customer's list by status. Completed orders are most of them and are found among all.
    index("orders_by_user_and_status")
      .on(table.userId, table.status, table.id)
      .where(sql`"is_test" = 0 and "status" <> 'Completed'`),
    index("orders_to_send").on(table.providerId, table.leaseUntil, table.id).where(sql`"fulfillment" = 'queued'`),
    index("orders_submitting").on(table.leaseUntil).where(sql`"fulfillment" = 'submitting'`),
    index("orders_held_to_check")
      .on(table.providerId, table.id)
      .where(
        sql`"fulfillment" = 'held' and "provider_order_id" is not null and "status" in ('Pending', 'Processing', 'In progress')`,
      ),
    index("orders_to_check")
      .on(table.providerId, table.id)
      .where(sql`"fulfillment" = 'accepted' and "status" in ('Pending', 'Processing', 'In progress')`),
    check("order_id_fits_int32", sql`"id" <= ${MAX_INT32_SQL}`),
    check("order_type_known", oneOf("type", ORDER_TYPES)),
    check("order_status_known", oneOf("status", ORDER_STATUSES)),
    check("order_fulfillment_known", oneOf("fulfillment", FULFILLMENT_STATES)),
    check("order_source_known", oneOf("source", ["web", "api"])),
    check("order_quantity_positive", sql`"quantity" >= 1 and "runs" >= 1`),
    check("order_charge_not_negative", sql`"charge" >= 0`),
    check("order_refund_within_charge", sql`"refunded" between 0 and "charge"`),
    check("order_discount_by_rule", sql`"discount" >= 0 and ("discount" = 0 or "price_rule" is not null)`),
    check("order_hold_reason_known", oneOf("held_for", HOLD_REASONS)),
    check("order_hold_reason_while_held", sql`"held_for" is null or "fulfillment" = 'held'`),
    check("order_remains_not_negative", sql`"remains" >= 0`),
    check("order_cost_not_negative", sql`"cost" >= 0`),
    check(
      "order_cost_source_known",
      sql`("cost" is null) = ("cost_is_reported" is null) and "cost_is_reported" between 0 and 1`,
    ),
  ],
);

export type Order = typeof orders.$inferSelect;

/**
 * The open live orders, by status and how they are fulfilled: a row for each pair that has some. Written by a job every
 * ten minutes, so that counting them costs nobody a read of every open order.
 */
export const openOrders = impersonalTable(
  "open_orders",
  {
    status: text({ enum: ORDER_STATUSES }).notNull(),
    fulfillment: text({ enum: FULFILLMENT_STATES }).notNull(),
    orders: integer().notNull(),
    /** Orders past their own `expected_by`. */
    late: integer().notNull(),
    /** Orders that nothing has changed for a day. */
    still: integer().notNull(),
    /** When the oldest of them was placed. */
    oldestAt: time("oldest_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.status, table.fulfillment] }),
    check("open_orders_status_known", oneOf("status", ORDER_STATUSES)),
    check("open_orders_fulfillment_known", oneOf("fulfillment", FULFILLMENT_STATES)),
    check(
      "open_orders_counts",
      sql`"orders" >= 1 and "late" between 0 and "orders" and "still" between 0 and "orders"`,
    ),
  ],
);

/** Many orders placed at once. Each order's idempotency key is this key, a space and its line number. */
export const massOrders = personalTable(
  "mass_orders",
  {
    id: exported(integer()).primaryKey({ autoIncrement: true }),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    idempotencyKey: internal(text("idempotency_key")).notNull(),
    /** Digest of the lines and options. */
    requestDigest: secret(text("request_digest")).notNull(),
    /** The name of the uploaded file; empty when the lines were typed. */
    source: exported(text()).notNull().default(""),
    placed: exported(integer()).notNull(),
    skipped: exported(integer()).notNull(),
    charge: exported(money()).notNull(),
    createdAt: exported(time("created_at")).notNull(),
  },
  (table) => [
    unique("mass_orders_once_per_key").on(table.userId, table.idempotencyKey),
    index("mass_orders_by_user").on(table.userId, table.id),
    check("mass_order_counts", sql`"placed" >= 1 and "skipped" >= 0 and "charge" >= 0`),
  ],
);

export const REFILL_STATUSES = ["Pending", "In progress", "Completed", "Rejected"] as const;
export type RefillStatus = (typeof REFILL_STATUSES)[number];

export const refills = personalTable(
  "refills",
  {
    id: kept.exported(integer()).primaryKey({ autoIncrement: true }),
    orderId: kept
      .exported(integer("order_id"), "order")
      .notNull()
      .references(() => orders.id),
    userId: internal(text("user_id")).notNull(),
    status: kept
      .exported(text({ enum: REFILL_STATUSES }))
      .notNull()
      .default("Pending"),
    /** The order's provider, copied so that an index finds each provider's refills. */
    providerId: kept.internal(integer("provider_id")).references(() => providers.id),
    providerRefillId: kept.internal(text("provider_refill_id")),
    fulfillment: kept
      .internal(text({ enum: FULFILLMENT_STATES }))
      .notNull()
      .default("manual"),
    leaseUntil: kept.internal(time("lease_until")).notNull().default(0),
    /** As in `orders`. */
    unreadableSince: kept.internal(time("unreadable_since")).notNull().default(0),
    createdAt: kept.exported(time("created_at")).notNull(),
    updatedAt: kept.internal(time("updated_at")).notNull(),
  },
  (table) => [
    uniqueIndex("refills_one_open_per_order").on(table.orderId).where(sql`"status" in ('Pending', 'In progress')`),
    // Waiting for staff: fulfilled by hand, or held.
    index("refills_for_staff")
      .on(table.id)
      .where(sql`"status" in ('Pending', 'In progress') and "fulfillment" in ('manual', 'held')`),
    index("refills_to_send").on(table.providerId, table.id).where(sql`"fulfillment" = 'queued'`),
    index("refills_submitting").on(table.leaseUntil).where(sql`"fulfillment" = 'submitting'`),
    index("refills_to_check")
      .on(table.providerId, table.id)
      .where(sql`"fulfillment" = 'accepted' and "status" in ('Pending', 'In progress')`),
    index("refills_by_order").on(table.orderId, table.id),
    check("refill_id_fits_int32", sql`"id" <= ${MAX_INT32_SQL}`),
    check("refill_status_known", oneOf("status", REFILL_STATUSES)),
    check("refill_fulfillment_known", oneOf("fulfillment", FULFILLMENT_STATES)),
  ],
);

export const CANCELLATION_STATUSES = ["Pending", "Accepted", "Rejected"] as const;
export type CancellationStatus = (typeof CANCELLATION_STATUSES)[number];

/** A customer's request to cancel. The order itself is canceled only once its provider, or staff, agrees. */
export const cancellations = personalTable(
  "cancellations",
  {
    orderId: kept
      .exported(integer("order_id"), "order")
      .primaryKey()
      .references(() => orders.id),
    userId: internal(text("user_id")).notNull(),
    status: kept
      .exported(text({ enum: CANCELLATION_STATUSES }))
      .notNull()
      .default("Pending"),
    /** The order's provider, copied so that an index finds each provider's cancellations. */
    providerId: kept.internal(integer("provider_id")).references(() => providers.id),
    fulfillment: kept.internal(text({ enum: FULFILLMENT_STATES })).notNull(),
    leaseUntil: kept.internal(time("lease_until")).notNull().default(0),
    attempts: kept.internal(integer()).notNull().default(0),
    createdAt: kept.exported(time("created_at")).notNull(),
    updatedAt: kept.internal(time("updated_at")).notNull(),
  },
  (table) => [
    index("cancellations_to_send").on(table.providerId, table.leaseUntil).where(sql`"fulfillment" = 'queued'`),
    index("cancellations_pending").on(table.orderId).where(sql`"status" = 'Pending'`),
    index("cancellations_for_staff")
      .on(table.orderId)
      .where(sql`"status" = 'Pending' and "fulfillment" in ('manual', 'held')`),
    check("cancellation_status_known", oneOf("status", CANCELLATION_STATUSES)),
    check("cancellation_fulfillment_known", oneOf("fulfillment", FULFILLMENT_STATES)),
  ],
);

/** Action of a provider's API that we call. */
export type ProviderAction = "add" | "status" | "refill" | "refill_status" | "cancel" | "balance" | "services";

/** Raw provider responses, kept for the person who decides about a held order. */
export const providerLog = personalTable(
  "provider_log",
  {
    id: internal(integer()).primaryKey(),
    providerId: internal(integer("provider_id"))
      .notNull()
      .references(() => providers.id),
    orderId: internal(integer("order_id")).references(() => orders.id),
    action: internal(text()).$type<ProviderAction>().notNull(),
    httpStatus: internal(integer("http_status")),
    response: internal(text()).notNull(),
    createdAt: internal(time("created_at")).notNull(),
  },
  (table) => [
    index("provider_log_by_order").on(table.orderId).where(sql`"order_id" is not null`),
    // Calls that concern no single order.
    index("provider_log_by_provider").on(table.providerId, table.id).where(sql`"order_id" is null`),
  ],
);
