import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { flag, oneOf } from "./column-types.server.ts";

/** A network such as "203.0.113.0/24" and when it first used a key. */
export type KeyNetwork = { network: string; at: number };

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** SHA-256 of the whole key, hex. The key itself is shown once and not stored. */
    digest: text().notNull().unique(),
    /** The first characters, which identify the key in a list. */
    prefix: text().notNull(),
    canRead: flag("can_read").notNull().default(true),
    canOrder: flag("can_order").notNull().default(true),
    /** Behaves like a live key, but neither charges nor submits to a provider. */
    isTest: flag("is_test").notNull().default(false),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    /** Null: never. A replaced key works for a while more. */
    expiresAt: integer("expires_at"),
    replacedAt: integer("replaced_at"),
    /** The newest successor of a replaced key. Both spend from the successor's cap. */
    replacedBy: text("replaced_by"),
    revokedAt: integer("revoked_at"),
    /** The only addresses and CIDR ranges that may use the key. Empty: all may. */
    addresses: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** Micro-units per UTC day. Null: no cap. */
    dailyCap: integer("daily_cap"),
    /** Micro-units that orders with this key cost on `spent_day`. Counted only while there is a cap. */
    spent: integer().notNull().default(0),
    /** Days since 1970, UTC. */
    spentDay: integer("spent_day").notNull().default(0),
    /** Networks that have used the key, newest first, with the time of the first use. Bounded by key-networks.ts. */
    networks: text({ mode: "json" }).$type<KeyNetwork[]>().notNull().default([]),
  },
  (table) => [
    index("api_keys_by_user").on(table.userId),
    index("api_keys_revoked").on(table.revokedAt).where(sql`"revoked_at" is not null`),
    index("api_keys_expiring").on(table.expiresAt).where(sql`"expires_at" is not null`),
    check("api_key_scopes", sql`"can_read" in (0, 1) and "can_order" in (0, 1)`),
    check("api_key_cap_positive", sql`"daily_cap" > 0`),
    check("api_key_spent_not_negative", sql`"spent" >= 0`),
  ],
);

export const WEBHOOK_EVENTS = [
  "order.completed",
  "order.partial",
  "order.canceled",
  "balance.low",
  "service.changed",
  "webhook.test",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    url: text().notNull(),
    /** Encrypted. The previous secret signs as well until `previous_until`. */
    secret: text().notNull(),
    previousSecret: text("previous_secret"),
    previousUntil: integer("previous_until"),
    createdAt: integer("created_at").notNull(),
    /** When the first of the current run of failures happened. */
    failingSince: integer("failing_since"),
    /** Set after failing for too long: nothing is sent until the owner turns it on again. */
    disabledAt: integer("disabled_at"),
    /** Gets the ends of its owner's orders and `balance.low`. */
    wantsOrders: flag("wants_orders").notNull().default(true),
    /** Gets `service.changed`. */
    wantsCatalog: flag("wants_catalog").notNull().default(false),
    /** The version of the catalog up to which `service.changed` was queued. Counts only while it wants these. */
    catalogSeen: integer("catalog_seen").notNull().default(0),
  },
  (table) => [
    index("webhook_endpoints_by_user").on(table.userId),
    index("webhook_endpoints_behind").on(table.catalogSeen).where(sql`"disabled_at" is null and "wants_catalog" = 1`),
    check(
      "webhook_endpoint_wants",
      sql`"wants_orders" in (0, 1) and "wants_catalog" in (0, 1) and "wants_orders" + "wants_catalog" > 0`,
    ),
  ],
);

/** One event for one endpoint, written in the same batch as the change it reports, so none is lost. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    /** Ascending: an endpoint receives its deliveries in this order. */
    id: integer().primaryKey(),
    /** The `webhook-id` of every attempt. */
    messageId: text("message_id").notNull(),
    endpointId: text("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: text({ enum: WEBHOOK_EVENTS }).notNull(),
    body: text().notNull(),
    attempts: integer().notNull().default(0),
    /** Time of the next attempt; null once delivered or given up. Only the endpoint's first pending one is attempted. */
    nextAttemptAt: integer("next_attempt_at"),
    deliveredAt: integer("delivered_at"),
    lastStatus: integer("last_status"),
    lastError: text("last_error"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    // Both end with the id, as every index does.
    index("webhook_deliveries_pending").on(table.endpointId).where(sql`"next_attempt_at" is not null`),
    index("webhook_deliveries_by_endpoint").on(table.endpointId),
    check("webhook_event_known", oneOf("event", WEBHOOK_EVENTS)),
  ],
);
