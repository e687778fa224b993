import { check, index, primaryKey, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { exported, internal, oneOf, personalTable, secret, time } from "./column-types.server.ts";

export const ALERT_SUBJECTS = ["log_in", "factor"] as const;

/** Browsers in which an account has logged in. A log-in in any other one is announced to its owner. */
export const knownDevices = personalTable(
  "known_devices",
  {
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Digest of the random id in the browser's device cookie. */
    deviceDigest: secret(text("device_digest")).notNull(),
    firstSeenAt: exported(time("first_seen_at")).notNull(),
    /** Time of the last log-in. */
    lastSeenAt: exported(time("last_seen_at")).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.deviceDigest] }),
    index("known_devices_by_last_log_in").on(table.lastSeenAt),
  ],
);

/** Log-ins and new factors that were announced by email, until the link that rejects them expires. */
export const newDeviceAlerts = personalTable(
  "new_device_alerts",
  {
    /** Digest of the token in the link. */
    tokenDigest: secret(text("token_digest")).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    subject: internal(text({ enum: ALERT_SUBJECTS }))
      .notNull()
      .default("log_in"),
    createdAt: internal(time("created_at")).notNull(),
    expiresAt: internal(time("expires_at")).notNull(),
  },
  (table) => [
    check("alert_subject_known", oneOf("subject", ALERT_SUBJECTS)),
    index("new_device_alerts_by_user").on(table.userId),
    index("new_device_alerts_by_expiry").on(table.expiresAt),
  ],
);
