import { sql } from "drizzle-orm";
import { check, index, integer, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import {
  day,
  exported,
  flag,
  internal,
  json,
  money,
  oneOf,
  personalTable,
  secret,
  time,
} from "./column-types.server.ts";

/** A network such as "203.0.113.0/24" and when it first used a key. */
export type KeyNetwork = { network: string; at: number };

export const apiKeys = personalTable(
  "api_keys",
  {
    id: internal(text()).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: exported(text()).notNull(),
    /** SHA-256 of the whole key, hex. The key itself is shown once and not stored. */
    digest: secret(text()).notNull().unique(),
    /** The first characters, which identify the key in a list. */
    prefix: exported(text()).notNull(),
    canRead: exported(flag("can_read")).notNull().default(true),
    canOrder: exported(flag("can_order")).notNull().default(true),
    /** Behaves like a live key, but neither charges nor submits to a provider. */
    isTest: exported(flag("is_test")).notNull().default(false),
    createdAt: exported(time("created_at")).notNull(),
    lastUsedAt: exported(time("last_used_at")),
    /** Null: never. A replaced key works for a while more. */
    expiresAt: exported(time("expires_at")),
    replacedAt: exported(time("replaced_at")),
    /** The newest successor of a replaced key. Both spend from the successor's cap. */
    replacedBy: internal(text("replaced_by")),
    revokedAt: exported(time("revoked_at")),
    /** The only addresses and CIDR ranges that may use the key. Empty: all may. */
    addresses: exported(json<string[]>()).notNull().default([]),
    /** Per UTC day. Null: no cap. */
    dailyCap: exported(money("daily_cap")),
    /** The cost of orders with this key on `spent_day`. Counted only while there is a cap. */
    spent: exported(money()).notNull().default(0),
    spentDay: exported(day("spent_day")).notNull().default(0),
    /** Networks that have used the key, newest first, with the time of the first use. Bounded by key-networks.ts. */
    networks: exported(json<KeyNetwork[]>()).notNull().default([]),
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

export const webhookEndpoints = personalTable(
  "webhook_endpoints",
  {
    id: internal(text()).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    url: exported(text()).notNull(),
    /** Encrypted. The previous secret signs as well until `previous_until`. */
    secret: secret(text()).notNull(),
    previousSecret: secret(text("previous_secret")),
    previousUntil: internal(time("previous_until")),
    /** Gets the ends of its owner's orders and `balance.low`. */
    wantsOrders: exported(flag("wants_orders")).notNull().default(true),
    /** Gets `service.changed`. */
    wantsCatalog: exported(flag("wants_catalog")).notNull().default(false),
    createdAt: exported(time("created_at")).notNull(),
    /** When the first of the current run of failures happened. */
    failingSince: internal(time("failing_since")),
    /** Set after failing for too long: nothing is sent until the owner turns it on again. */
    disabledAt: internal(time("disabled_at")),
    /** The version of the catalog up to which `service.changed` was queued. Counts only while it wants these. */
    catalogSeen: internal(integer("catalog_seen")).notNull().default(0),
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
export const webhookDeliveries = personalTable(
  "webhook_deliveries",
  {
    /** Ascending: an endpoint receives its deliveries in this order. */
    id: internal(integer()).primaryKey(),
    /** The `webhook-id` of every attempt. */
    messageId: internal(text("message_id")).notNull(),
    endpointId: internal(text("endpoint_id"))
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: internal(text({ enum: WEBHOOK_EVENTS })).notNull(),
    body: internal(text()).notNull(),
    attempts: internal(integer()).notNull().default(0),
    /** Time of the next attempt; null once delivered or given up. Only the endpoint's first pending one is attempted. */
    nextAttemptAt: internal(time("next_attempt_at")),
    deliveredAt: internal(time("delivered_at")),
    lastStatus: internal(integer("last_status")),
    lastError: internal(text("last_error")),
    createdAt: internal(time("created_at")).notNull(),
  },
  (table) => [
    // Both end with the id, as every index does.
    index("webhook_deliveries_pending").on(table.endpointId).where(sql`"next_attempt_at" is not null`),
    index("webhook_deliveries_by_endpoint").on(table.endpointId),
    check("webhook_event_known", oneOf("event", WEBHOOK_EVENTS)),
  ],
);
