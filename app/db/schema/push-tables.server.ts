import { sql } from "drizzle-orm";
import { check, index, integer, text, unique } from "drizzle-orm/sqlite-core";
import { authSessions } from "./account-tables.server.ts";
import { exported, internal, oneOf, personalTable, secret, shown, time } from "./column-types.server.ts";

export const DEVICE_KINDS = ["web", "android", "ios"] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

export const PUSH_KINDS = ["reply", "order"] as const;
export type PushKind = (typeof PUSH_KINDS)[number];

export const PUSH_STATUSES = ["queued", "sent", "failed", "expired"] as const;
export type PushStatus = (typeof PUSH_STATUSES)[number];

/** Browsers and phones that get notifications. */
export const pushSubscriptions = personalTable(
  "push_subscriptions",
  {
    id: internal(text()).primaryKey(),
    /** SHA-256 of the endpoint and its keys: only the device itself knows all three. */
    digest: shown(text()).notNull().unique(),
    /** "user_…" for an account, or the id of a visitor's conversation. */
    owner: internal(text()).notNull(),
    /** The session in which an account turned notifications on. They end with it. Null for a visitor. */
    sessionId: internal(text("session_id")).references(() => authSessions.id, { onDelete: "cascade" }),
    kind: exported(text({ enum: DEVICE_KINDS })).notNull(),
    /** Host of the push service. */
    service: exported(text()).notNull(),
    /** Endpoint and keys, or the phone's token, encrypted. */
    sealedTarget: secret(text("sealed_target")).notNull(),
    /** The public VAPID key that the browser was given. Empty for a phone. */
    serverKey: internal(text("server_key")).notNull(),
    /** No notification about an order before this: orders that end in between share one. */
    ordersFrom: internal(time("orders_from")).notNull().default(0),
    createdAt: exported(time("created_at")).notNull(),
    /** When the device last told us that it still has it. */
    seenAt: exported(time("seen_at")).notNull(),
  },
  (table) => [
    index("push_subscriptions_by_owner").on(table.owner, table.seenAt),
    index("push_subscriptions_by_session").on(table.sessionId).where(sql`"session_id" is not null`),
    index("push_subscriptions_by_age").on(table.seenAt),
    check("push_device_known", oneOf("kind", DEVICE_KINDS)),
    check("push_owner_session", sql`("owner" glob 'user_*') = ("session_id" is not null)`),
  ],
);

/** Notifications, one row per event and device, each in the same batch as the event. A row is its own outbox. */
export const pushDeliveries = personalTable(
  "push_deliveries",
  {
    // No AUTOINCREMENT: it costs a written row per notification.
    id: internal(integer()).primaryKey(),
    subscriptionId: internal(text("subscription_id"))
      .notNull()
      .references(() => pushSubscriptions.id, { onDelete: "cascade" }),
    /** What happened, such as "order:7". Queued once per device. */
    event: internal(text()).notNull(),
    kind: internal(text({ enum: PUSH_KINDS })).notNull(),
    /** What is shown, as JSON. Null once it is not queued. */
    content: internal(text()),
    status: internal(text({ enum: PUSH_STATUSES }))
      .notNull()
      .default("queued"),
    attempts: internal(integer()).notNull().default(0),
    /** Null once it is not queued. */
    nextAttemptAt: internal(time("next_attempt_at")),
    /** Not sent after this, and not kept longer by the push service. */
    expiresAt: internal(time("expires_at")).notNull(),
    lastError: internal(text("last_error")),
    createdAt: internal(time("created_at")).notNull(),
  },
  (table) => [
    unique("push_deliveries_once").on(table.subscriptionId, table.event),
    index("push_deliveries_due").on(table.nextAttemptAt).where(sql`"status" = 'queued'`),
    check("push_kind_known", oneOf("kind", PUSH_KINDS)),
    check("push_status_known", oneOf("status", PUSH_STATUSES)),
  ],
);
