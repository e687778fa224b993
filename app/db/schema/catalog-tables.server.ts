import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { flag, MAX_INT32_SQL, oneOf } from "./column-types.server.ts";

/** Ten years. */
export const MAX_REFILL_DAYS = 3650;

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

/** Kind of page that an order's link must lead to. `any`: the service says only its network. */
export const LINK_KINDS = [
  "any",
  "profile",
  "post",
  "video",
  "short",
  "story",
  "live",
  "comment",
  "clip",
  "channel",
  "group",
  "event",
  "track",
  "album",
  "playlist",
  "place",
  "site",
] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** `strict` refuses a link of another kind. `warn` asks a customer about it, and lets programs order. `off`: not looked at. */
export const LINK_CHECKS = ["strict", "warn", "off"] as const;
export type LinkCheck = (typeof LINK_CHECKS)[number];

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
    /** Why the provider refuses all orders. They wait meanwhile. Null: it accepted the last one. */
    pausedFor: text("paused_for", { enum: ["key", "funds"] }),
    pausedUntil: integer("paused_until").notNull().default(0),
    /** Calls that run at once. */
    concurrentCalls: integer("concurrent_calls").notNull().default(5),
    /** Null: no limit. */
    callsPerMinute: integer("calls_per_minute"),
    /** An order that was cut off is sent again under its key. */
    honorsIdempotencyKeys: flag("honors_idempotency_keys").notNull().default(false),
    /** Added to the provider's rates, in percent. Null: the catalog is not refreshed automatically. */
    markupPercent: integer("markup_percent"),
    createdAt: integer("created_at").notNull(),
  },
  () => [
    check("provider_enabled_is_flag", sql`"enabled" in (0, 1)`),
    check("provider_failures_not_negative", sql`"failures" >= 0`),
    check("provider_concurrent_calls_bounded", sql`"concurrent_calls" between 1 and 6`),
    check("provider_calls_per_minute_positive", sql`"calls_per_minute" >= 1`),
    check("provider_honors_keys_is_flag", sql`"honors_idempotency_keys" in (0, 1)`),
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
    /** Micro-units per 1,000 pieces, or per order for Package types. */
    rate: integer().notNull(),
    min: integer().notNull(),
    max: integer().notNull(),
    dripfeed: flag("dripfeed").notNull().default(false),
    refill: flag("refill").notNull().default(false),
    /** How long after its end an order can be refilled. Null: as long as the service is offered with refills. */
    refillDays: integer("refill_days"),
    cancel: flag("cancel").notNull().default(false),
    enabled: flag("enabled").notNull().default(true),
    providerId: integer("provider_id").references(() => providers.id),
    providerServiceId: text("provider_service_id"),
    /** The provider's own rate when its catalog was last read. Micro-units. */
    providerRate: integer("provider_rate"),
    position: integer().notNull().default(0),
    linkKind: text("link_kind", { enum: LINK_KINDS }).notNull().default("any"),
    linkCheck: text("link_check", { enum: LINK_CHECKS }).notNull().default("off"),
  },
  (table) => [
    uniqueIndex("services_once_per_provider").on(table.providerId, table.providerServiceId),
    index("services_by_position").on(table.enabled, table.position, table.id),
    check("service_type_known", oneOf("type", ORDER_TYPES)),
    check("service_link_kind_known", oneOf("link_kind", LINK_KINDS)),
    check("service_link_check_known", oneOf("link_check", LINK_CHECKS)),
    check("service_rate_not_negative", sql`"rate" >= 0`),
    check("service_limits_in_order", sql`"min" >= 1 and "max" >= "min" and "max" <= ${MAX_INT32_SQL}`),
    check(
      "service_flags",
      sql`"dripfeed" in (0, 1) and "refill" in (0, 1) and "cancel" in (0, 1) and "enabled" in (0, 1)`,
    ),
    check("service_refill_days_bounded", sql`"refill_days" between 1 and ${sql.raw(String(MAX_REFILL_DAYS))}`),
    check("service_forward_is_whole", sql`("provider_id" is null) = ("provider_service_id" is null)`),
  ],
);

/** One row. Triggers in the migration raise the version on every change to what can be ordered. */
export const catalogVersion = sqliteTable(
  "catalog_version",
  {
    id: integer().primaryKey(),
    version: integer().notNull(),
    /** The newest change that `service_changes` no longer holds. What changed since then is known. */
    historyFrom: integer("history_from").notNull().default(0),
  },
  () => [check("catalog_version_is_one_row", sql`"id" = 1`)],
);

/**
 * How the orders of a service ended that were placed on one UTC day: a count for each way and delivery time, as
 * delivery-buckets.ts names them. A row has at most a few hundred counts, however many orders there are.
 */
export const serviceDays = sqliteTable(
  "service_days",
  {
    /** Days since 1970. */
    day: integer().notNull(),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    ended: text({ mode: "json" }).$type<Record<string, number>>().notNull(),
  },
  // By day, so that the rows of the last 30 days are read, and older ones deleted, without an index.
  (table) => [primaryKey({ columns: [table.day, table.serviceId] })],
);

/** A service as a customer sees it, in a change. Null: not on sale. */
export type ShownService = {
  name: string;
  category: string;
  type: OrderType;
  /** Micro-units. */
  rate: number;
  min: number;
  max: number;
  dripfeed: number;
  refill: number;
  /** Null: no limit. */
  refill_days: number | null;
  cancel: number;
};

/**
 * Every change of what can be ordered, in order. Triggers in the migration write it, whoever changes a service, and never
 * write what a provider is or costs.
 */
export const serviceChanges = sqliteTable(
  "service_changes",
  {
    /** The version of the catalog that the change made. */
    version: integer().primaryKey(),
    // No foreign key: a change outlives its service.
    serviceId: integer("service_id").notNull(),
    before: text({ mode: "json" }).$type<ShownService>(),
    after: text({ mode: "json" }).$type<ShownService>(),
    /** Whether customers hear of it: not of a changed position or description. */
    isNews: flag("is_news").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("service_changes_news").on(table.version).where(sql`"is_news" = 1`)],
);

/** Delivery times and rates of a service's orders of the last 30 days. Written by a job; one with too few orders has no row. */
export const serviceTimes = sqliteTable(
  "service_times",
  {
    serviceId: integer("service_id")
      .primaryKey()
      .references(() => services.id, { onDelete: "cascade" }),
    /** Within this, half of the orders are done. Null while too many are open to tell. */
    p50Ms: integer("p50_ms"),
    /** Within this, nine of ten orders are done. */
    p90Ms: integer("p90_ms"),
    completed: integer().notNull(),
    partial: integer().notNull(),
    canceled: integer().notNull(),
    open: integer().notNull(),
  },
  () => [
    check("service_times_in_order", sql`"p50_ms" > 0 and "p90_ms" >= "p50_ms"`),
    check("service_times_counts", sql`"completed" >= 1 and "partial" >= 0 and "canceled" >= 0 and "open" >= 0`),
  ],
);

export const favorites = sqliteTable(
  "favorites",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
    /** The rate that the user last saw here, in micro-units. Null: off sale. */
    seenRate: integer("seen_rate"),
  },
  (table) => [primaryKey({ columns: [table.userId, table.serviceId] })],
);

export const CATALOG_CHANGES = ["added", "price", "limits", "vanished", "unreadable"] as const;

/** Changes found by an import of a provider's catalog. */
export const catalogChanges = sqliteTable(
  "catalog_changes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    providerServiceId: text("provider_service_id").notNull(),
    kind: text({ enum: CATALOG_CHANGES }).notNull(),
    before: text().notNull().default(""),
    after: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("catalog_changes_by_time").on(table.providerId, table.createdAt),
    check("catalog_change_known", oneOf("kind", CATALOG_CHANGES)),
  ],
);
