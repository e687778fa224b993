import { sql } from "drizzle-orm";
import {
  check,
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/**
 * Every table is STRICT (`npm run db:generate` adds the word, drizzle-kit cannot).
 * Times are integer milliseconds since 1970. Money is integer micro-units, 1/1,000,000 of the currency.
 */

const MAX_INT32 = sql.raw("2147483647");

/** Text that compares without regard to ASCII case, so an e-mail is unique however it is written. */
const caselessText = customType<{ data: string }>({ dataType: () => "text COLLATE NOCASE" });

const flag = (name: string) => integer(name, { mode: "boolean" });

function oneOf(column: string, values: readonly string[]) {
  const list = values.map((value) => `'${value}'`).join(", ");
  return sql.raw(`"${column}" in (${list})`);
}

/* ---- accounts ---- */

export const ROLES = ["customer", "agent", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  email: caselessText().notNull().unique(),
  /** Null until a migrated account signs in for the first time. */
  passwordHash: text("password_hash"),
  createdAt: integer("created_at").notNull(),
});

export const profiles = sqliteTable(
  "profiles",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    email: caselessText().notNull().unique(),
    fullName: text("full_name").notNull().default(""),
    role: text({ enum: ROLES }).notNull().default("customer"),
  },
  () => [
    index("profiles_by_name").on(sql`"full_name" collate nocase`, sql`"email"`),
    index("profiles_staff").on(sql`"full_name" collate nocase`).where(sql`"role" <> 'customer'`),
    check("profile_role_known", oneOf("role", ROLES)),
  ],
);

export const authSessions = sqliteTable(
  "auth_sessions",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    refreshDigest: text("refresh_digest").unique(),
    previousDigest: text("previous_digest"),
    rotatedAt: integer("rotated_at"),
    expiresAt: integer("expires_at").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
    userAgent: text("user_agent").notNull().default(""),
    revokedAt: integer("revoked_at"),
  },
  (table) => [
    index("auth_sessions_by_user").on(table.userId),
    index("auth_sessions_by_previous_digest").on(table.previousDigest),
  ],
);

export const passwordResets = sqliteTable(
  "password_resets",
  {
    tokenDigest: text("token_digest").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("password_resets_by_user").on(table.userId)],
);

/** Legacy hashes from the MySQL system. The hash is wiped once it has been migrated. */
export const tempMysqlPasswords = sqliteTable(
  "temp_mysql_passwords",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    mysqlPasswordHash: text("mysql_password_hash"),
    migrated: flag("migrated").notNull().default(false),
    /** Of a hash that looks like one of bcrypt. */
    rounds: integer().generatedAlwaysAs(
      sql.raw(
        `case when "mysql_password_hash" glob '$2[aby]$[0-3][0-9]$*' then cast(substr("mysql_password_hash", 5, 2) as integer) end`,
      ),
      { mode: "virtual" },
    ),
  },
  (table) => [
    index("legacy_passwords_by_rounds").on(table.rounds),
    check("legacy_migrated_is_flag", sql`"migrated" in (0, 1)`),
    check("legacy_hash_until_migrated", sql`"migrated" = 1 or "mysql_password_hash" is not null`),
  ],
);

/** A new e-mail address, until its owner follows the link that was mailed there. */
export const emailChanges = sqliteTable("email_changes", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  tokenDigest: text("token_digest").notNull().unique(),
  newEmail: caselessText("new_email").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Accounts being deleted: written first, removed last, so that what was cut off is taken up again. */
export const accountDeletions = sqliteTable("account_deletions", {
  // No foreign key: it has to outlast the account.
  userId: text("user_id").primaryKey(),
  requestedAt: integer("requested_at").notNull(),
});

/* ---- protection ---- */

/** Exact counters in fixed windows; see rate-limit.server.ts. */
export const rateLimits = sqliteTable(
  "rate_limits",
  {
    /** What is limited, and a digest of whom. */
    key: text().primaryKey(),
    count: integer().notNull(),
    resetsAt: integer("resets_at").notNull(),
  },
  (table) => [index("rate_limits_by_end").on(table.resetsAt)],
);

/* ---- orders ---- */

export const ORDER_TYPES = [
  "Default",
  "Package",
  "SEO",
  "Custom Comments",
  "Custom Comments Package",
  "Mentions",
  "Mentions with Hashtags",
  "Mentions Custom List",
  "Mentions Hashtag",
  "Mentions User Followers",
  "Mentions Media Likers",
  "Comment Likes",
  "Comment Replies",
  "Poll",
  "Invites from Groups",
  "Subscriptions",
  "Web Traffic",
] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

export const ORDER_STATUSES = ["Pending", "Processing", "In progress", "Completed", "Partial", "Canceled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * Where an order stands on its way to its provider.
 * `manual`: worked by hand. `queued`: to be sent. `submitting`: a call may be under way.
 * `accepted`: the provider gave an id. `rejected`: it refused, and the charge went back.
 * `unknown`: the call's outcome cannot be known, so a person decides.
 */
export const FULFILMENT_STATES = ["manual", "queued", "submitting", "accepted", "rejected", "unknown"] as const;
export type FulfilmentState = (typeof FULFILMENT_STATES)[number];

export const providers = sqliteTable(
  "providers",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    apiUrl: text("api_url").notNull(),
    encryptedKey: text("encrypted_key").notNull(),
    enabled: flag("enabled").notNull().default(true),
    failures: integer().notNull().default(0),
    openUntil: integer("open_until").notNull().default(0),
    /** Added to the provider's rates, in percent. Null: its catalogue is not read by itself. */
    markupPercent: integer("markup_percent"),
    createdAt: integer("created_at").notNull(),
  },
  () => [
    check("provider_enabled_is_flag", sql`"enabled" in (0, 1)`),
    check("provider_failures_not_negative", sql`"failures" >= 0`),
  ],
);

export const services = sqliteTable(
  "services",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    network: text().notNull(),
    category: text().notNull(),
    name: text().notNull(),
    description: text().notNull().default(""),
    type: text({ enum: ORDER_TYPES }).notNull().default("Default"),
    /** Micro-units per 1,000 pieces; for Package types per order. */
    rate: integer().notNull(),
    min: integer().notNull(),
    max: integer().notNull(),
    dripfeed: flag("dripfeed").notNull().default(false),
    refill: flag("refill").notNull().default(false),
    cancel: flag("cancel").notNull().default(false),
    enabled: flag("enabled").notNull().default(true),
    providerId: integer("provider_id").references(() => providers.id),
    providerServiceId: text("provider_service_id"),
    /** What the provider asked for it when its catalogue was last read. Micro-units. */
    providerRate: integer("provider_rate"),
    position: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("services_once_per_provider").on(table.providerId, table.providerServiceId),
    index("services_by_position").on(table.enabled, table.position, table.id),
    check("service_type_known", oneOf("type", ORDER_TYPES)),
    check("service_rate_not_negative", sql`"rate" >= 0`),
    check("service_limits_in_order", sql`"min" >= 1 and "max" >= "min" and "max" <= ${MAX_INT32}`),
    check(
      "service_flags",
      sql`"dripfeed" in (0, 1) and "refill" in (0, 1) and "cancel" in (0, 1) and "enabled" in (0, 1)`,
    ),
    check("service_forward_is_whole", sql`("provider_id" is null) = ("provider_service_id" is null)`),
  ],
);

/** One row. Triggers of its migration count up whenever what can be ordered changes, whoever changes it. */
export const catalogueVersion = sqliteTable(
  "catalogue_version",
  { id: integer().primaryKey(), version: integer().notNull() },
  () => [check("catalogue_version_is_one_row", sql`"id" = 1`)],
);

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
  },
  () => [check("wallet_balance_not_negative", sql`"balance" >= 0`)],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** SHA-256 of the whole key, hex. The key itself is shown once and not kept. */
    digest: text().notNull().unique(),
    /** The first characters, so that a person recognises a key in a list. */
    prefix: text().notNull(),
    canRead: flag("can_read").notNull().default(true),
    canOrder: flag("can_order").notNull().default(true),
    /** Answers like a live key, and neither charges nor forwards. */
    isTest: flag("is_test").notNull().default(false),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    /** Set when a newer key takes over: until then both work. */
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
  },
  (table) => [
    index("api_keys_by_user").on(table.userId),
    check("api_key_scopes", sql`"can_read" in (0, 1) and "can_order" in (0, 1)`),
  ],
);

export const orders = sqliteTable(
  "orders",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    // No foreign key: an order outlives the account it was made by.
    userId: text("user_id").notNull(),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id),
    type: text({ enum: ORDER_TYPES }).notNull(),
    link: text().notNull(),
    /** Pieces in one run. */
    quantity: integer().notNull(),
    runs: integer().notNull().default(1),
    intervalMinutes: integer("interval_minutes"),
    /** What the type needs beyond link and quantity, as JSON: comments, usernames, keywords … */
    details: text({ mode: "json" }).$type<Record<string, string | number>>().notNull().default({}),
    charge: integer().notNull(),
    refunded: integer().notNull().default(0),
    status: text({ enum: ORDER_STATUSES }).notNull().default("Pending"),
    startCount: integer("start_count"),
    remains: integer().notNull(),
    /** The caller's key, or one made for a request that had none. */
    idempotencyKey: text("idempotency_key").notNull(),
    /** SHA-256 of the parsed request, hex: the same key with other content is refused. */
    requestDigest: text("request_digest").notNull(),
    source: text({ enum: ["web", "api"] }).notNull(),
    providerId: integer("provider_id").references(() => providers.id),
    providerServiceId: text("provider_service_id"),
    providerOrderId: text("provider_order_id"),
    fulfilment: text({ enum: FULFILMENT_STATES }).notNull(),
    leaseUntil: integer("lease_until").notNull().default(0),
    attempts: integer().notNull().default(0),
    checkedAt: integer("checked_at").notNull().default(0),
    /** Placed with a test key: never charged, never sent, its states only played. */
    isTest: flag("is_test").notNull().default(false),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    unique("orders_once_per_key").on(table.userId, table.idempotencyKey),
    index("orders_by_user").on(table.userId, table.id),
    // The console's lists. Test orders are in none of them, and what is completed is found by the id alone.
    index("orders_by_status").on(table.status, table.id).where(sql`"is_test" = 0 and "status" <> 'Completed'`),
    index("orders_held").on(table.id).where(sql`"fulfilment" = 'unknown' and "is_test" = 0`),
    index("orders_by_provider_order")
      .on(table.providerOrderId, table.providerId)
      .where(sql`"provider_order_id" is not null`),
    index("orders_by_user_and_status").on(table.userId, table.status, table.id),
    index("orders_to_send").on(table.leaseUntil).where(sql`"fulfilment" in ('queued', 'submitting')`),
    index("orders_to_check")
      .on(table.providerId, table.checkedAt)
      .where(sql`"fulfilment" = 'accepted' and "status" in ('Pending', 'Processing', 'In progress')`),
    check("order_id_fits_int32", sql`"id" <= ${MAX_INT32}`),
    check("order_type_known", oneOf("type", ORDER_TYPES)),
    check("order_status_known", oneOf("status", ORDER_STATUSES)),
    check("order_fulfilment_known", oneOf("fulfilment", FULFILMENT_STATES)),
    check("order_source_known", oneOf("source", ["web", "api"])),
    check("order_quantity_positive", sql`"quantity" >= 1 and "runs" >= 1`),
    check("order_charge_not_negative", sql`"charge" >= 0`),
    check("order_refund_within_charge", sql`"refunded" between 0 and "charge"`),
    check("order_remains_not_negative", sql`"remains" >= 0`),
  ],
);

export const LEDGER_KINDS = ["charge", "refund", "topup", "adjustment"] as const;

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

/** How long a service's orders took from placed to Completed: the moving average of the last of them. */
export const serviceTimes = sqliteTable(
  "service_times",
  {
    serviceId: integer("service_id")
      .primaryKey()
      .references(() => services.id, { onDelete: "cascade" }),
    completed: integer().notNull(),
    averageMs: integer("average_ms").notNull(),
  },
  () => [check("service_times_of_orders", sql`"completed" >= 1 and "average_ms" >= 0`)],
);

export const favourites = sqliteTable(
  "favourites",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.serviceId] })],
);

/** Many orders placed at once. Their idempotency keys are this one's, a colon and the line's number. */
export const massOrders = sqliteTable(
  "mass_orders",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    idempotencyKey: text("idempotency_key").notNull(),
    /** SHA-256 of the lines and of how they were to be placed, hex. */
    requestDigest: text("request_digest").notNull(),
    /** The file that the lines came from; empty when they were typed. */
    source: text().notNull().default(""),
    placed: integer().notNull(),
    skipped: integer().notNull(),
    charge: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    unique("mass_orders_once_per_key").on(table.userId, table.idempotencyKey),
    index("mass_orders_by_user").on(table.userId, table.id),
    check("mass_order_counts", sql`"placed" >= 1 and "skipped" >= 0 and "charge" >= 0`),
  ],
);

export const REFILL_STATUSES = ["Pending", "In progress", "Completed", "Rejected"] as const;
export type RefillStatus = (typeof REFILL_STATUSES)[number];

export const refills = sqliteTable(
  "refills",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    orderId: integer("order_id")
      .notNull()
      .references(() => orders.id),
    userId: text("user_id").notNull(),
    status: text({ enum: REFILL_STATUSES }).notNull().default("Pending"),
    providerRefillId: text("provider_refill_id"),
    fulfilment: text({ enum: FULFILMENT_STATES }).notNull().default("manual"),
    leaseUntil: integer("lease_until").notNull().default(0),
    checkedAt: integer("checked_at").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("refills_one_open_per_order").on(table.orderId).where(sql`"status" in ('Pending', 'In progress')`),
    // What waits for a person: worked by hand, or asked for without a known outcome.
    index("refills_for_staff")
      .on(table.id)
      .where(sql`"status" in ('Pending', 'In progress') and "fulfilment" in ('manual', 'unknown')`),
    index("refills_by_order").on(table.orderId, table.id),
    check("refill_id_fits_int32", sql`"id" <= ${MAX_INT32}`),
    check("refill_status_known", oneOf("status", REFILL_STATUSES)),
  ],
);

export const CANCELLATION_STATUSES = ["Pending", "Accepted", "Rejected"] as const;

/** A wish to cancel: the order itself is canceled only when its provider, or a person, says so. */
export const cancellations = sqliteTable(
  "cancellations",
  {
    orderId: integer("order_id")
      .primaryKey()
      .references(() => orders.id),
    userId: text("user_id").notNull(),
    status: text({ enum: CANCELLATION_STATUSES }).notNull().default("Pending"),
    fulfilment: text({ enum: FULFILMENT_STATES }).notNull(),
    leaseUntil: integer("lease_until").notNull().default(0),
    attempts: integer().notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("cancellations_to_send").on(table.leaseUntil).where(sql`"fulfilment" in ('queued', 'submitting')`),
    index("cancellations_for_staff")
      .on(table.orderId)
      .where(sql`"status" = 'Pending' and "fulfilment" in ('manual', 'unknown')`),
    check("cancellation_status_known", oneOf("status", CANCELLATION_STATUSES)),
    check("cancellation_fulfilment_known", oneOf("fulfilment", FULFILMENT_STATES)),
  ],
);

export const WEBHOOK_EVENTS = ["order.completed", "order.partial", "order.canceled", "balance.low"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    url: text().notNull(),
    /** Sealed. The one before it signs as well until `previous_until`. */
    secret: text().notNull(),
    previousSecret: text("previous_secret"),
    previousUntil: integer("previous_until"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("webhook_endpoints_by_user").on(table.userId)],
);

/** One event for one endpoint. Written in the same batch as what it tells of, so none is missing. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: text().primaryKey(),
    endpointId: text("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: text({ enum: WEBHOOK_EVENTS }).notNull(),
    body: text().notNull(),
    attempts: integer().notNull().default(0),
    /** Null when it was delivered or given up. */
    nextAttemptAt: integer("next_attempt_at"),
    deliveredAt: integer("delivered_at"),
    lastStatus: integer("last_status"),
    lastError: text("last_error"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("webhook_deliveries_due").on(table.nextAttemptAt).where(sql`"next_attempt_at" is not null`),
    index("webhook_deliveries_by_endpoint").on(table.endpointId, table.createdAt),
    check("webhook_event_known", oneOf("event", WEBHOOK_EVENTS)),
  ],
);

export const CATALOGUE_CHANGES = ["added", "price", "limits", "vanished", "unreadable"] as const;

/** The report of what an import of a provider's catalogue found changed. */
export const catalogueChanges = sqliteTable(
  "catalogue_changes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    providerServiceId: text("provider_service_id").notNull(),
    kind: text({ enum: CATALOGUE_CHANGES }).notNull(),
    before: text().notNull().default(""),
    after: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("catalogue_changes_by_time").on(table.providerId, table.createdAt),
    check("catalogue_change_known", oneOf("kind", CATALOGUE_CHANGES)),
  ],
);

/** What a provider answered, as it came, for the person who has to decide. */
export const providerLog = sqliteTable(
  "provider_log",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    orderId: integer("order_id").references(() => orders.id),
    action: text().notNull(),
    httpStatus: integer("http_status"),
    answer: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("provider_log_by_order").on(table.orderId), index("provider_log_by_time").on(table.createdAt)],
);

/* ---- top-up: redeem codes and card payments; what they bring is in the ledger ---- */

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

/* ---- audit ---- */

export const AUDIT_SUBJECTS = [
  "order",
  "service",
  "provider",
  "customer",
  "codes",
  "conversation",
  "account",
  "reply",
  "settings",
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** Who of the staff did what. Append-only, and written in the same batch as the act; see audit.server.ts. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    // No foreign key: the entry outlives the account.
    actorId: text("actor_id").notNull(),
    actorName: text("actor_name").notNull(),
    /** `order.refund`, `customer.credit`. */
    action: text().notNull(),
    subjectType: text("subject_type", { enum: AUDIT_SUBJECTS }).notNull(),
    subjectId: text("subject_id").notNull(),
    /** What was changed, from what to what, and the reason that was given. */
    detail: text({ mode: "json" }).$type<Record<string, unknown>>().notNull().default({}),
    /** Names one sending of a form, so that a form sent twice acts once. */
    onceKey: text("once_key").unique(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("audit_log_by_subject").on(table.subjectType, table.subjectId, table.id),
    index("audit_log_by_actor").on(table.actorId, table.id),
    index("audit_log_by_action").on(table.action, table.id),
  ],
);

/* ---- support: written by the rooms' outbox, read by the inbox ---- */

export const supportSessions = sqliteTable(
  "support_sessions",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id").notNull().unique(),
    userId: text("user_id"),
    userName: text("user_name").notNull(),
    userEmail: text("user_email"),
    status: text({ enum: ["open", "closed"] })
      .notNull()
      .default("open"),
    lastSeq: integer("last_seq").notNull().default(0),
    agentReadSeq: integer("agent_read_seq").notNull().default(0),
    lastMessage: text("last_message").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Who of the team has it; null: nobody yet. */
    assigneeId: text("assignee_id"),
    assigneeName: text("assignee_name"),
    /** Its visitor's messages are refused. */
    blocked: flag("blocked").notNull().default(false),
    tags: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    userReadSeq: integer("user_read_seq").notNull().default(0),
    /**
     * The team's last message, and when it was said; 0 before there is one. Later than that when the visitor was still
     * there as it was to be mailed: its place in the queue of those mails.
     */
    answerSeq: integer("answer_seq").notNull().default(0),
    answerAt: integer("answer_at").notNull().default(0),
    /** Up to which answer the visitor was mailed. */
    mailedSeq: integer("mailed_seq").notNull().default(0),
  },
  (table) => [
    index("support_sessions_by_status").on(table.status, table.updatedAt),
    index("support_sessions_by_user").on(table.userId),
    index("support_sessions_by_assignee").on(table.assigneeId, table.status, table.updatedAt),
    // Answers that their visitor has not read and was not mailed about: those of a few minutes.
    index("support_sessions_to_mail")
      .on(table.answerAt)
      .where(sql`"user_email" is not null and "answer_seq" > "user_read_seq" and "mailed_seq" <= "user_read_seq"`),
    check("support_status_known", oneOf("status", ["open", "closed"])),
  ],
);

export const SENDER_TYPES = ["user", "admin", "system"] as const;

export const supportMessages = sqliteTable(
  "support_messages",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id")
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    seq: integer().notNull(),
    senderType: text("sender_type", { enum: SENDER_TYPES }).notNull(),
    senderName: text("sender_name").notNull(),
    message: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    unique("support_messages_once_per_seq").on(table.sessionId, table.seq),
    check("support_sender_known", oneOf("sender_type", SENDER_TYPES)),
    check("support_seq_positive", sql`"seq" >= 1`),
  ],
);

/** How many conversations there are, by status and assignee ('' for nobody). Kept by triggers on support_sessions. */
export const supportCounts = sqliteTable(
  "support_counts",
  {
    status: text({ enum: ["open", "closed"] }).notNull(),
    assigneeId: text("assignee_id").notNull(),
    conversations: integer().notNull().default(0),
    /** Those with something that nobody of the team has read. */
    unread: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.status, table.assigneeId] })],
);

/** What the team writes to itself. Never read for a visitor. */
export const supportNotes = sqliteTable(
  "support_notes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id")
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The room's own number of it. */
    no: integer().notNull(),
    authorId: text("author_id").notNull(),
    authorName: text("author_name").notNull(),
    body: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [unique("support_notes_once").on(table.sessionId, table.no)],
);

/** One question from its first message until the conversation is closed; what reports count. */
export const supportCases = sqliteTable(
  "support_cases",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id")
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The room's own number of it. */
    no: integer().notNull(),
    startedAt: integer("started_at").notNull(),
    answeredAt: integer("answered_at"),
    agentId: text("agent_id"),
    /** Who answered first. */
    agentName: text("agent_name"),
    closedAt: integer("closed_at"),
    rating: text({ enum: ["good", "bad"] }),
    ratedAt: integer("rated_at"),
  },
  (table) => [
    unique("support_cases_once").on(table.sessionId, table.no),
    index("support_cases_by_start").on(table.startedAt),
    check("support_rating_known", sql`"rating" is null or "rating" in ('good', 'bad')`),
  ],
);

/** Answers that are written once and used often. */
export const supportReplies = sqliteTable("support_replies", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** What is typed after the slash. */
  shortcut: caselessText().notNull().unique(),
  body: text().notNull(),
  updatedBy: text("updated_by").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** One row. */
export const supportSettings = sqliteTable(
  "support_settings",
  {
    id: integer().primaryKey(),
    value: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  () => [check("support_settings_is_one_row", sql`"id" = 1`)],
);

/* ---- mail ---- */

/** `user_id` may be the all-zero placeholder; such a row is readable only with `owner_digest`. */
export const gmailTokens = sqliteTable(
  "gmail_tokens",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text("user_id").notNull(),
    ownerDigest: text("owner_digest").notNull().default(""),
    /** AES-GCM, versioned key, user id as additional data. Null when Google asks to reconnect. */
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    emailAddress: text("email_address"),
    scope: text().notNull().default(""),
    expiresAt: integer("expires_at").notNull().default(0),
    /** Until then, somebody is asking Google for the next access token. */
    refreshLeaseUntil: integer("refresh_lease_until").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    unique("gmail_tokens_one_per_owner").on(table.userId, table.ownerDigest),
    index("gmail_tokens_by_mailbox").on(table.emailAddress),
  ],
);

export const gmailMessages = sqliteTable(
  "gmail_messages",
  {
    /** Gmail's own id. */
    id: text().notNull(),
    userId: text("user_id").notNull(),
    ownerDigest: text("owner_digest").notNull().default(""),
    fromEmail: text("from_email").notNull(),
    fromName: text("from_name").notNull().default(""),
    subject: text().notNull().default(""),
    snippet: text().notNull().default(""),
    internalDate: integer("internal_date").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.ownerDigest, table.id] }),
    index("gmail_messages_newest").on(table.userId, table.ownerDigest, table.internalDate),
  ],
);

export const gmailSyncStatus = sqliteTable(
  "gmail_sync_status",
  {
    userId: text("user_id").notNull(),
    ownerDigest: text("owner_digest").notNull().default(""),
    lastSyncAt: integer("last_sync_at"),
    totalMessages: integer("total_messages").notNull().default(0),
    /** Text: Gmail's history ids are unsigned 64-bit. */
    historyId: text("history_id"),
    autoSync: flag("auto_sync").notNull().default(false),
    lastError: text("last_error"),
    /** One sync at a time: whoever holds `lease_id`, until then. */
    leaseUntil: integer("lease_until").notNull().default(0),
    leaseId: text("lease_id"),
    /** JSON list of Gmail ids still to be read, so that a sync that was cut off goes on where it stopped. */
    pending: text().notNull().default("[]"),
    /** What `history_id` becomes when `pending` is empty. */
    pendingHistoryId: text("pending_history_id"),
    progress: integer().notNull().default(0),
    progressTotal: integer("progress_total").notNull().default(0),
    /** Runs that failed since the last that did not. */
    failures: integer().notNull().default(0),
    /** When cron takes it up; null: when somebody asks. */
    nextSyncAt: integer("next_sync_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.ownerDigest] }),
    index("gmail_sync_due").on(table.nextSyncAt).where(sql`"next_sync_at" is not null`),
    check("gmail_total_not_negative", sql`"total_messages" >= 0`),
    check("gmail_auto_sync_is_flag", sql`"auto_sync" in (0, 1)`),
  ],
);

/** Connections that were begun and have not come back from Google. Each row is used once. */
export const gmailOauthStates = sqliteTable(
  "gmail_oauth_states",
  {
    stateDigest: text("state_digest").primaryKey(),
    userId: text("user_id").notNull(),
    ownerDigest: text("owner_digest").notNull().default(""),
    /** Of the cookie of the browser that began it. */
    browserDigest: text("browser_digest").notNull(),
    /** Sealed. */
    codeVerifier: text("code_verifier").notNull(),
    mode: text({ enum: ["popup", "page", "app"] }).notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("gmail_oauth_states_by_expiry").on(table.expiresAt),
    index("gmail_oauth_states_by_owner").on(table.userId, table.ownerDigest),
    check("gmail_oauth_mode_known", oneOf("mode", ["popup", "page", "app"])),
  ],
);

/* ---- uploads: the bytes are in R2 under `key` ---- */

export const uploads = sqliteTable(
  "uploads",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    key: text().notNull().unique(),
    name: text().notNull(),
    contentType: text("content_type").notNull(),
    /** Bytes. */
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("uploads_by_user").on(table.userId, table.createdAt),
    check("upload_size_not_negative", sql`"size" >= 0`),
  ],
);

/** A file on its way: its parts are in R2's multipart upload `r2_upload_id` until it is completed or aborted. */
export const uploadsUnderWay = sqliteTable(
  "uploads_under_way",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    key: text().notNull().unique(),
    r2UploadId: text("r2_upload_id").notNull(),
    name: text().notNull(),
    /** By its name; its content has to agree. */
    contentType: text("content_type").notNull(),
    /** Bytes, of the whole and of each part but the last. */
    size: integer().notNull(),
    partSize: integer("part_size").notNull(),
    /** What the browser knows the file by when it is chosen again. */
    fingerprint: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("uploads_under_way_by_user").on(table.userId, table.createdAt),
    index("uploads_under_way_by_age").on(table.updatedAt),
    check("upload_under_way_sizes", sql`"size" >= 1 and "part_size" >= 1`),
  ],
);

export const uploadParts = sqliteTable(
  "upload_parts",
  {
    uploadId: text("upload_id")
      .notNull()
      .references(() => uploadsUnderWay.id, { onDelete: "cascade" }),
    /** Counted from 1. */
    number: integer().notNull(),
    etag: text().notNull(),
    /** Bytes. */
    size: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.number] })],
);
