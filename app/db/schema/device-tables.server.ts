import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { oneOf } from "./column-types.server.ts";

export const ALERT_SUBJECTS = ["log_in", "factor"] as const;

/** Browsers in which an account has logged in. A log-in in any other one is announced to its owner. */
export const knownDevices = sqliteTable(
  "known_devices",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Digest of the random id in the browser's device cookie. */
    deviceDigest: text("device_digest").notNull(),
    firstSeenAt: integer("first_seen_at").notNull(),
    /** Time of the last log-in. */
    lastSeenAt: integer("last_seen_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.deviceDigest] }),
    index("known_devices_by_last_log_in").on(table.lastSeenAt),
  ],
);

/** Log-ins and new factors that were announced by email, until the link that rejects them expires. */
export const newDeviceAlerts = sqliteTable(
  "new_device_alerts",
  {
    /** Digest of the token in the link. */
    tokenDigest: text("token_digest").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    subject: text({ enum: ALERT_SUBJECTS }).notNull().default("log_in"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    check("alert_subject_known", oneOf("subject", ALERT_SUBJECTS)),
    index("new_device_alerts_by_user").on(table.userId),
    index("new_device_alerts_by_expiry").on(table.expiresAt),
  ],
);
