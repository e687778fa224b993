import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { MAX_REFILL_DAYS } from "#app/product.ts";
import { users } from "./account-tables.server.ts";
import {
  basisPoints,
  day,
  exported,
  flag,
  impersonalTable,
  internal,
  json,
  MAX_INT32_SQL,
  money,
  oneOf,
  personalTable,
  secret,
  shown,
  time,
} from "./column-types.server.ts";

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

/**
 * How one provider departs from its convention, as its answers have shown. Missing: not known yet.
 *
 * - `status`, `refill_status`: whether it takes several ids in a call.
 * - `cancel`: the parameter by which it takes the order.
 * - `refill`: the parameter by which it takes the order to refill.
 * - `refusesWith4xx`: it has sent JSON with a status of 400 or more.
 */
export type LearnedDialect = {
  status?: "one" | "many";
  refill_status?: "one" | "many";
  cancel?: "one" | "many";
  refill?: "one" | "many" | "refill";
  refusesWith4xx?: true;
};

export const providers = impersonalTable(
  "providers",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: shown(text()).notNull().unique(),
    apiUrl: shown(text("api_url")).notNull(),
    encryptedKey: secret(text("encrypted_key")).notNull(),
    enabled: flag("enabled").notNull().default(true),
    failures: integer().notNull().default(0),
    openUntil: time("open_until").notNull().default(0),
    /** Why the provider refuses all orders. They wait meanwhile. Null: it accepted the last one. */
    pausedFor: text("paused_for", { enum: ["key", "funds"] }),
    pausedUntil: time("paused_until").notNull().default(0),
    /** Calls that run at once. */
    concurrentCalls: integer("concurrent_calls").notNull().default(5),
    /** Null: no limit. */
    callsPerMinute: integer("calls_per_minute"),
    /** The family of panels that it belongs to, see conventions.ts. */
    convention: shown(text()).notNull().default("panel-api-v2"),
    /** Facts learned about its API. A new URL or key resets them. */
    dialect: json<LearnedDialect>().notNull().default({}),
    /** An order that was cut off is sent again under its key. */
    honorsIdempotencyKeys: flag("honors_idempotency_keys").notNull().default(false),
    /** It splits an order's comments at commas too, so that one with a comma would become two. */
    splitsComments: flag("splits_comments").notNull().default(false),
    /** How far a night's import may move a rate from what was last decided. */
    riseLimit: basisPoints("rise_limit").notNull().default(2000),
    /** When its catalog could last be read, by a night or a person. Null: never. */
    catalogReadAt: time("catalog_read_at"),
    createdAt: time("created_at").notNull(),
    /** Raised by each change of the settings, see row-version.server.ts. */
    version: integer().notNull().default(1),
  },
  () => [
    check("provider_enabled_is_flag", sql`"enabled" in (0, 1)`),
    check("provider_failures_not_negative", sql`"failures" >= 0`),
    check("provider_concurrent_calls_bounded", sql`"concurrent_calls" between 1 and 6`),
    check("provider_calls_per_minute_positive", sql`"calls_per_minute" >= 1`),
    check("provider_honors_keys_is_flag", sql`"honors_idempotency_keys" in (0, 1)`),
    check("provider_splits_comments_is_flag", sql`"splits_comments" in (0, 1)`),
    check("provider_rise_limit_bounded", sql`"rise_limit" between 100 and 10000`),
  ],
);

export const services = impersonalTable(
  "services",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    network: shown(text()).notNull(),
    category: shown(text()).notNull(),
    name: shown(text()).notNull(),
    description: shown(text()).notNull().default(""),
    type: text({ enum: ORDER_TYPES }).notNull().default("Default"),
    /** Per 1,000 pieces, or per order for Package types. */
    rate: money().notNull(),
    min: integer().notNull(),
    max: integer().notNull(),
    dripfeed: flag("dripfeed").notNull().default(false),
    refill: flag("refill").notNull().default(false),
    /** How long after its end an order can be refilled. Null: as long as the service is offered with refills. */
    refillDays: integer("refill_days"),
    cancel: flag("cancel").notNull().default(false),
    enabled: flag("enabled").notNull().default(true),
    providerId: integer("provider_id").references(() => providers.id),
    providerServiceId: shown(text("provider_service_id")),
    /** The provider's own rate when its catalog was last read. */
    providerRate: money("provider_rate"),
    position: integer().notNull().default(0),
    linkKind: text("link_kind", { enum: LINK_KINDS }).notNull().default("any"),
    linkCheck: text("link_check", { enum: LINK_CHECKS }).notNull().default("off"),
    /** Raised by each change of the terms, see row-version.server.ts. */
    version: integer().notNull().default(1),
    /** The rate that a price rule last set. Another `rate` is one that staff set, which imports keep. */
    ruleRate: money("rule_rate"),
    /** Our rate and the provider's when a person last decided. Nightly changes add up from here. */
    decidedRate: money("decided_rate"),
    decidedCost: money("decided_cost"),
    /** Staff keep it on sale although the provider's catalog doesn't list it. Cleared when it does again. */
    keptWhileGone: flag("kept_while_gone").notNull().default(false),
  },
  (table) => [
    uniqueIndex("services_once_per_provider").on(table.providerId, table.providerServiceId),
    index("services_by_position").on(table.enabled, table.position, table.id),
    index("services_by_category").on(table.network, table.category),
    check("service_type_known", oneOf("type", ORDER_TYPES)),
    check("service_link_kind_known", oneOf("link_kind", LINK_KINDS)),
    check("service_link_check_known", oneOf("link_check", LINK_CHECKS)),
    check("service_rate_not_negative", sql`"rate" >= 0`),
    check("service_limits_in_order", sql`"min" >= 1 and "max" >= "min" and "max" <= ${MAX_INT32_SQL}`),
    check(
      "service_flags",
      sql`"dripfeed" in (0, 1) and "refill" in (0, 1) and "cancel" in (0, 1) and "enabled" in (0, 1) and "kept_while_gone" in (0, 1)`,
    ),
    check("service_refill_days_bounded", sql`"refill_days" between 1 and ${sql.raw(String(MAX_REFILL_DAYS))}`),
    check("service_forward_is_whole", sql`("provider_id" is null) = ("provider_service_id" is null)`),
  ],
);

/** One row. Triggers in the migration raise the version on every change to what can be ordered. */
export const catalogVersion = impersonalTable(
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
 * delivery-estimate.ts names them. A row has at most a few hundred counts, however many orders there are.
 */
export const serviceDays = impersonalTable(
  "service_days",
  {
    day: day().notNull(),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    ended: json<Record<string, number>>().notNull(),
    /**
     * The orders that ended since the last refresh: the name of each one's count, by its id. The refresh adds them to their
     * customers' days. Here, because the row is written anyway: a row for each order would be a written row more.
     */
    newlyEnded: json<Record<string, string>>("newly_ended").notNull().default({}),
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
export const serviceChanges = impersonalTable(
  "service_changes",
  {
    /** The version of the catalog that the change made. */
    version: integer().primaryKey(),
    // No foreign key: a change outlives its service.
    serviceId: integer("service_id").notNull(),
    before: json<ShownService>(),
    after: json<ShownService>(),
    /** Whether customers hear of it: not of a changed position or description. */
    isNews: flag("is_news").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [index("service_changes_news").on(table.version).where(sql`"is_news" = 1`)],
);

/**
 * A service's orders of the last 30 days: how many, and how they were delivered. Written by a job. With too few completed
 * ones, all but the number of orders is 0 or null; a service without orders has no row.
 */
export const serviceTimes = impersonalTable(
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
    /** All live orders, also those whose delivery time says nothing about the service. */
    orders: integer().notNull().default(0),
    /** Open ones past their own `expected_by`. */
    late: integer().notNull().default(0),
  },
  (table) => [
    // The few services that Today names. A row of it is written only when such a count changes.
    index("service_times_late").on(table.late).where(sql`"late" >= 3 and "open" < "late" * 10`),
    check("service_times_in_order", sql`"p50_ms" > 0 and "p90_ms" >= "p50_ms"`),
    check(
      "service_times_counts",
      sql`"completed" >= 0 and "partial" >= 0 and "canceled" >= 0 and "open" >= 0 and "orders" >= 0 and "late" >= 0`,
    ),
  ],
);

export const favorites = personalTable(
  "favorites",
  {
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    serviceId: exported(integer("service_id"), "service")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    createdAt: exported(time("created_at")).notNull(),
    /** The rate that the user last saw here. Null: off sale. */
    seenRate: internal(money("seen_rate")),
  },
  (table) => [primaryKey({ columns: [table.userId, table.serviceId] })],
);

/** How the services of a provider's category are priced. Imports use it; a rule alone changes no rate. */
export const priceRules = impersonalTable(
  "price_rules",
  {
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    /** As the provider names it. "": all categories without a rule of their own; only with it, the night imports. */
    category: shown(text()).notNull(),
    /** The part of the price that must be left after the provider's rate. */
    margin: basisPoints().notNull(),
    /** Rates are rounded up to a multiple. */
    roundTo: money("round_to").notNull().default(1),
    minimum: money().notNull().default(0),
    version: integer().notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.providerId, table.category] }),
    check("price_rule_margin_bounded", sql`"margin" between 0 and 9500`),
    check("price_rule_amounts", sql`"round_to" >= 1 and "minimum" >= 0`),
  ],
);

/** A provider's offer, as far as orders depend on it. */
export type OfferedTerms = {
  category: string;
  type: OrderType;
  /** Micro-units. */
  rate: number;
  min: number;
  max: number;
  dripfeed: boolean;
  refill: boolean;
  cancel: boolean;
};

/**
 * Why a changed service waits for a decision. `jump`: so far that it is more likely a mistake or another currency than a
 * price. `below_cost`: it would cost more than our rate. `gone`: it is missing from the catalog.
 */
export const QUARANTINE_REASONS = ["jump", "below_cost", "rise", "drop", "type", "limits", "gone"] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];
/** `gone_by`: nobody decided; the provider took the change back. */
export const QUARANTINE_DECISIONS = ["take", "keep", "off", "gone_by"] as const;
export type QuarantineDecision = (typeof QUARANTINE_DECISIONS)[number];

/** Changes of a provider's catalog that wait for a person, and those that were decided. One open row per service. */
export const quarantine = impersonalTable(
  "quarantine",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    serviceId: integer("service_id")
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    reason: text({ enum: QUARANTINE_REASONS }).notNull(),
    /** The newest offer. Null: none. */
    offered: json<OfferedTerms>(),
    /** The service was on sale and is kept off sale meanwhile. */
    paused: flag("paused").notNull(),
    foundAt: time("found_at").notNull(),
    decidedAt: time("decided_at"),
    decision: text({ enum: QUARANTINE_DECISIONS }),
  },
  (table) => [
    uniqueIndex("quarantine_one_open").on(table.serviceId).where(sql`"decided_at" is null`),
    index("quarantine_open").on(table.providerId, table.reason, table.id).where(sql`"decided_at" is null`),
    index("quarantine_decided").on(table.decidedAt).where(sql`"decided_at" is not null`),
    check("quarantine_reason_known", oneOf("reason", QUARANTINE_REASONS)),
    check("quarantine_decision_known", oneOf("decision", QUARANTINE_DECISIONS)),
    check("quarantine_decided_whole", sql`("decided_at" is null) = ("decision" is null)`),
    check("quarantine_paused_is_flag", sql`"paused" in (0, 1)`),
  ],
);

export const CATALOG_CHANGES = [
  "added",
  "price",
  "limits",
  "type",
  "vanished",
  "unreadable",
  "quarantined",
  "released",
] as const;

/** Changes found by an import of a provider's catalog. */
export const catalogChanges = impersonalTable(
  "catalog_changes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    providerServiceId: shown(text("provider_service_id")).notNull(),
    kind: text({ enum: CATALOG_CHANGES }).notNull(),
    before: shown(text()).notNull().default(""),
    after: shown(text()).notNull().default(""),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    index("catalog_changes_by_time").on(table.providerId, table.createdAt),
    check("catalog_change_known", oneOf("kind", CATALOG_CHANGES)),
  ],
);
