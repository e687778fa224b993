import { sql } from "drizzle-orm";
import { check, index, integer, text } from "drizzle-orm/sqlite-core";
import {
  caselessText,
  exported,
  flag,
  impersonalTable,
  internal,
  oneOf,
  personalTable,
  secret,
  time,
} from "./column-types.server.ts";

export const ROLES = ["customer", "agent", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const users = personalTable(
  "users",
  {
    id: exported(text()).primaryKey(),
    email: internal(caselessText()).notNull().unique(),
    /** Empty until a migrated account signs in for the first time, and once the account is being deleted. */
    passwordHash: secret(text("password_hash")),
    createdAt: exported(time("created_at")).notNull(),
    /** When the owner proved to receive email at this address; null until then. See app/email/confirmed-email.server.ts. */
    emailConfirmedAt: exported(time("email_confirmed_at")),
    /** When staff suspended the account, which then can't log in or use its API keys. Null if it is active. */
    suspendedAt: internal(time("suspended_at")),
    /** When the account last changed. Null if it never did. */
    updatedAt: internal(time("updated_at")).$onUpdate(() => Date.now()),
  },
  (table) => [index("users_by_time").on(table.createdAt, table.id)],
);

export const profiles = personalTable(
  "profiles",
  {
    userId: internal(text("user_id"))
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    email: exported(caselessText()).notNull().unique(),
    fullName: exported(text("full_name")).notNull().default(""),
    role: exported(text({ enum: ROLES }))
      .notNull()
      .default("customer"),
  },
  () => [
    index("profiles_by_name").on(sql`"full_name" collate nocase`, sql`"email"`),
    index("profiles_staff").on(sql`"full_name" collate nocase`).where(sql`"role" <> 'customer'`),
    check("profile_role_known", oneOf("role", ROLES)),
  ],
);

export const authSessions = personalTable(
  "auth_sessions",
  {
    id: internal(text()).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    refreshDigest: secret(text("refresh_digest")).unique(),
    previousDigest: secret(text("previous_digest")),
    rotatedAt: internal(time("rotated_at")),
    userAgent: exported(text("user_agent")).notNull().default(""),
    createdAt: exported(time("created_at")).notNull(),
    lastUsedAt: exported(time("last_used_at")).notNull(),
    expiresAt: exported(time("expires_at")).notNull(),
    revokedAt: exported(time("revoked_at")),
    /** When to check whether its chat sockets must close, unless it is ended before. Null if it has none. */
    socketsDueAt: internal(time("sockets_due_at")),
    /** When the person last proved who they are, by signing up, logging in or confirming it once more. */
    verifiedAt: exported(time("verified_at")).notNull(),
    /** When they last used a passkey, code or recovery code as the second factor. */
    secondFactorAt: exported(time("second_factor_at")),
  },
  (table) => [
    index("auth_sessions_by_user").on(table.userId, table.createdAt),
    index("auth_sessions_by_previous_digest").on(table.previousDigest),
    // For their deletion.
    index("auth_sessions_by_expiry").on(table.expiresAt),
    index("auth_sessions_by_end").on(table.revokedAt).where(sql`"revoked_at" is not null`),
    // For closing their sockets. Without coalesce, because drizzle-kit splits an expression at its commas.
    index("auth_sessions_with_sockets")
      .on(sql`case when "revoked_at" is null then "sockets_due_at" else "revoked_at" end`)
      .where(sql`"sockets_due_at" is not null`),
  ],
);

export const passwordResets = personalTable(
  "password_resets",
  {
    tokenDigest: secret(text("token_digest")).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: internal(time("expires_at")).notNull(),
    usedAt: internal(time("used_at")),
  },
  (table) => [
    index("password_resets_by_user").on(table.userId),
    index("password_resets_by_expiry").on(table.expiresAt),
  ],
);

/** Legacy hashes from the MySQL system. The hash is wiped once it has been migrated. */
export const tempMysqlPasswords = personalTable(
  "temp_mysql_passwords",
  {
    userId: internal(text("user_id"))
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    mysqlPasswordHash: secret(text("mysql_password_hash")),
    migrated: exported(flag("migrated"), "legacyPasswordMigrated").notNull().default(false),
    /** The bcrypt cost, where the hash looks like bcrypt. */
    rounds: internal(integer()).generatedAlwaysAs(
      sql.raw(
        `case when "mysql_password_hash" glob '$2[aby]$[0-3][0-9]$*' then cast(substr("mysql_password_hash", 5, 2) as integer) end`,
      ),
      { mode: "virtual" },
    ),
  },
  (table) => [
    index("legacy_passwords_by_rounds").on(table.rounds),
    check("legacy_migrated_is_flag", sql`"migrated" in (0, 1)`),
    check("legacy_hash_until_migrated", sql`"migrated" = 1 or "mysql_password_hash" is not null`),
  ],
);

/** A new email address, until its owner follows the link sent there. */
export const emailChanges = personalTable(
  "email_changes",
  {
    userId: internal(text("user_id"))
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenDigest: secret(text("token_digest")).notNull().unique(),
    newEmail: exported(caselessText("new_email")).notNull(),
    expiresAt: exported(time("expires_at")).notNull(),
  },
  (table) => [index("email_changes_by_expiry").on(table.expiresAt)],
);

/** Notes of the team about a customer, for itself. */
export const customerNotes = personalTable(
  "customer_notes",
  {
    id: internal(integer()).primaryKey({ autoIncrement: true }),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    body: exported(text()).notNull(),
    // No foreign key: the note outlives its author's account. Null, and no name, once that is deleted.
    authorId: internal(text("author_id")),
    authorName: internal(text("author_name")).notNull(),
    createdAt: exported(time("created_at")).notNull(),
  },
  (table) => [
    index("customer_notes_by_user").on(table.userId, table.id),
    // For the deletion of a team member's account.
    index("customer_notes_by_author").on(table.authorId).where(sql`"author_id" is not null`),
    check("customer_note_length", sql`length("body") between 1 and 2000`),
  ],
);

/** Accounts being deleted. The row is written first and removed last, so an interrupted deletion is resumed. */
export const accountDeletions = personalTable("account_deletions", {
  // No foreign key: the row outlives the account.
  userId: internal(text("user_id")).primaryKey(),
  requestedAt: internal(time("requested_at")).notNull(),
  /** Time of the last attempt; 0 before the first. */
  attemptedAt: internal(time("attempted_at")).notNull().default(0),
});

/**
 * Addresses that an import of the old system creates no account for: those imported once, and those of deleted accounts.
 * docs/decisions/accounts/0037-legacy-import.md says why this is SHA-256 without a key.
 */
export const importSkips = impersonalTable("import_skips", {
  /** Digest of the address in lower case. */
  addressDigest: secret(text("address_digest")).primaryKey(),
});
