import { check, index, integer, text } from "drizzle-orm/sqlite-core";
import { type Role, users } from "./account-tables.server.ts";
import {
  exported,
  impersonalTable,
  internal,
  json,
  oneOf,
  personalTable,
  secret,
  time,
} from "./column-types.server.ts";

export const SECURITY_EVENT_KINDS = [
  "log_in",
  "log_in_failed",
  /** A wrong password, code or missing permission on something other than a log-in. */
  "denied",
  /** Too many attempts. */
  "limited",
  "signed_up",
  "password_changed",
  "password_reset_requested",
  "password_reset",
  "email_change_requested",
  "email_changed",
  "email_change_undone",
  "email_verified",
  "new_device",
  "new_device_rejected",
  "factor_added",
  "factor_removed",
  "factor_used",
  "recovery_code_used",
  "api_key_created",
  "api_key_changed",
  "api_key_revoked",
  "api_key_new_network",
  "webhook_added",
  "webhook_changed",
  "webhook_removed",
  "session_ended",
  "sessions_ended",
  "suspended",
  "reactivated",
  "role_changed",
  "data_exported",
  /** Logged only: the list goes with the account. */
  "deletion_requested",
] as const;
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

/** Action that a person confirms with a password or a code. */
export type ConfirmedAction = "delete_account" | "change_email" | "change_password" | "confirm_identity";
export type ApiKeyChange = "replaced" | "limited";
export type WebhookChange = "turned_on" | "new_secret" | "events" | "failing";

/**
 * Short words that the owner of the account sees, such as the name of an API key. No secrets. Those of closed lists have
 * their sentences in app/accounts/events/event-sentence.server.ts.
 */
export type EventDetail = {
  action?: ConfirmedAction | "second_step" | "use_api_key";
  change?: ApiKeyChange | WebhookChange;
  reason?: "suspended" | "token_reused" | "setup_link";
  by?: "support" | "emailed_link";
  role?: Role;
  key?: string;
  url?: string;
  email?: string;
  factor?: string;
  left?: string;
  device?: string;
};

/** Security events of an account, shown to its owner. Append-only. */
export const securityEvents = personalTable(
  "security_events",
  {
    id: internal(integer()).primaryKey({ autoIncrement: true }),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: exported(text({ enum: SECURITY_EVENT_KINDS })).notNull(),
    createdAt: exported(time("created_at")).notNull(),
    /** Browser and system, such as "Firefox on Windows". Empty if no browser caused the event. */
    device: exported(text()).notNull().default(""),
    /** IPv4 address or IPv6 /64 prefix. Null for loopback, or if no request caused the event. */
    network: exported(text()),
    /** Finds the log line of the same request. */
    requestId: internal(text("request_id")).notNull().default(""),
    detail: exported(json<EventDetail>()).notNull().default({}),
  },
  (table) => [
    index("security_events_by_user").on(table.userId, table.createdAt),
    check("security_event_kind_known", oneOf("kind", SECURITY_EVENT_KINDS)),
  ],
);

/** Exact counters in fixed windows; see rate-limit.server.ts. */
export const rateLimits = impersonalTable(
  "rate_limits",
  {
    /** The action, and a digest of the caller. */
    key: secret(text()).primaryKey(),
    count: integer().notNull(),
    resetsAt: time("resets_at").notNull(),
  },
  (table) => [index("rate_limits_by_end").on(table.resetsAt)],
);
