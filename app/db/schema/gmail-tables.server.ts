import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { flag, oneOf } from "./column-types.server.ts";

/** `user_id` may be the all-zero placeholder; such a row is readable only with `owner_digest`. */
export const gmailTokens = sqliteTable(
  "gmail_tokens",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text("user_id").notNull(),
    ownerDigest: text("owner_digest").notNull().default(""),
    /** AES-GCM, versioned key, user id as additional data. Null when the user has to reconnect. */
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    emailAddress: text("email_address"),
    scope: text().notNull().default(""),
    expiresAt: integer("expires_at").notNull().default(0),
    /** Another request is refreshing the access token until this time. */
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
    /** Only the holder of `lease_id` may sync, until this time. */
    leaseUntil: integer("lease_until").notNull().default(0),
    leaseId: text("lease_id"),
    /** JSON list of Gmail ids still to be read, so an interrupted sync resumes. */
    pending: text().notNull().default("[]"),
    /** Becomes `history_id` once `pending` is empty. */
    pendingHistoryId: text("pending_history_id"),
    progress: integer().notNull().default(0),
    progressTotal: integer("progress_total").notNull().default(0),
    /** Consecutive failed runs. */
    failures: integer().notNull().default(0),
    /** When the next sync is due. Null: only on request. */
    nextSyncAt: integer("next_sync_at"),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.ownerDigest] }),
    index("gmail_sync_due").on(table.nextSyncAt).where(sql`"next_sync_at" is not null`),
    check("gmail_total_not_negative", sql`"total_messages" >= 0`),
    check("gmail_auto_sync_is_flag", sql`"auto_sync" in (0, 1)`),
  ],
);

/** Connections waiting for the redirect back from Google. Each row is used once. */
export const gmailOauthStates = sqliteTable(
  "gmail_oauth_states",
  {
    stateDigest: text("state_digest").primaryKey(),
    userId: text("user_id").notNull(),
    ownerDigest: text("owner_digest").notNull().default(""),
    /** Digest of the cookie of the browser that started the connection. */
    browserDigest: text("browser_digest").notNull(),
    /** Encrypted. */
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
