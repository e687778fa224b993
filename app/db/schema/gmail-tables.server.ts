import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, unique } from "drizzle-orm/sqlite-core";
import { exported, flag, internal, oneOf, personalTable, secret, time } from "./column-types.server.ts";

/** `user_id` may be the all-zero placeholder; such a row is readable only with `owner_digest`. */
export const gmailTokens = personalTable(
  "gmail_tokens",
  {
    id: internal(integer()).primaryKey({ autoIncrement: true }),
    userId: internal(text("user_id")).notNull(),
    ownerDigest: secret(text("owner_digest")).notNull().default(""),
    /** AES-GCM, versioned key, user id as additional data. Null when the user has to reconnect. */
    accessToken: secret(text("access_token")),
    refreshToken: secret(text("refresh_token")),
    emailAddress: exported(text("email_address")),
    scope: exported(text()).notNull().default(""),
    expiresAt: internal(time("expires_at")).notNull().default(0),
    /** Another request is refreshing the access token until this time. */
    refreshLeaseUntil: internal(time("refresh_lease_until")).notNull().default(0),
    createdAt: exported(time("created_at")).notNull(),
  },
  (table) => [
    unique("gmail_tokens_one_per_owner").on(table.userId, table.ownerDigest),
    index("gmail_tokens_by_mailbox").on(table.emailAddress),
  ],
);

export const gmailMessages = personalTable(
  "gmail_messages",
  {
    /** Gmail's own id. */
    id: exported(text()).notNull(),
    userId: internal(text("user_id")).notNull(),
    ownerDigest: secret(text("owner_digest")).notNull().default(""),
    fromEmail: exported(text("from_email"), "from").notNull(),
    fromName: exported(text("from_name")).notNull().default(""),
    subject: exported(text()).notNull().default(""),
    snippet: exported(text()).notNull().default(""),
    internalDate: exported(time("internal_date"), "date").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.ownerDigest, table.id] }),
    index("gmail_messages_newest").on(table.userId, table.ownerDigest, table.internalDate),
  ],
);

export const gmailSyncStatus = personalTable(
  "gmail_sync_status",
  {
    userId: internal(text("user_id")).notNull(),
    ownerDigest: secret(text("owner_digest")).notNull().default(""),
    lastSyncAt: exported(time("last_sync_at")),
    totalMessages: exported(integer("total_messages")).notNull().default(0),
    autoSync: exported(flag("auto_sync")).notNull().default(false),
    lastError: exported(text("last_error")),
    /** Text: Gmail's history ids are unsigned 64-bit. */
    historyId: exported(text("history_id")),
    /** Only the holder of `lease_id` may sync, until this time. */
    leaseUntil: internal(time("lease_until")).notNull().default(0),
    leaseId: internal(text("lease_id")),
    /** JSON list of Gmail ids still to be read, so an interrupted sync resumes. */
    pending: internal(text()).notNull().default("[]"),
    /** Becomes `history_id` once `pending` is empty. */
    pendingHistoryId: internal(text("pending_history_id")),
    progress: internal(integer()).notNull().default(0),
    progressTotal: internal(integer("progress_total")).notNull().default(0),
    /** Consecutive failed runs. */
    failures: internal(integer()).notNull().default(0),
    /** When the next sync is due. Null: only on request. */
    nextSyncAt: exported(time("next_sync_at")),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.ownerDigest] }),
    index("gmail_sync_due").on(table.nextSyncAt).where(sql`"next_sync_at" is not null`),
    check("gmail_total_not_negative", sql`"total_messages" >= 0`),
    check("gmail_auto_sync_is_flag", sql`"auto_sync" in (0, 1)`),
  ],
);

/** Connections waiting for the redirect back from Google. Each row is used once. */
export const gmailOauthStates = personalTable(
  "gmail_oauth_states",
  {
    stateDigest: secret(text("state_digest")).primaryKey(),
    userId: internal(text("user_id")).notNull(),
    ownerDigest: secret(text("owner_digest")).notNull().default(""),
    /** Digest of the cookie of the browser that started the connection. */
    browserDigest: secret(text("browser_digest")).notNull(),
    /** Encrypted. */
    codeVerifier: secret(text("code_verifier")).notNull(),
    mode: internal(text({ enum: ["popup", "page", "app"] })).notNull(),
    expiresAt: internal(time("expires_at")).notNull(),
  },
  (table) => [
    index("gmail_oauth_states_by_expiry").on(table.expiresAt),
    index("gmail_oauth_states_by_owner").on(table.userId, table.ownerDigest),
    check("gmail_oauth_mode_known", oneOf("mode", ["popup", "page", "app"])),
  ],
);
