import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { caselessText, flag, oneOf } from "./column-types.server.ts";

export const ROLES = ["customer", "agent", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    email: caselessText().notNull().unique(),
    /** Empty until a migrated account signs in for the first time, and once the account is being deleted. */
    passwordHash: text("password_hash"),
    createdAt: integer("created_at").notNull(),
    /** When the owner proved to receive email at this address; null until then. See app/email/confirmed-email.server.ts. */
    emailConfirmedAt: integer("email_confirmed_at"),
    /** When staff suspended the account, which then can't log in or use its API keys. Null if it is active. */
    suspendedAt: integer("suspended_at"),
    /** When the account last changed. Null if it never did. */
    updatedAt: integer("updated_at").$onUpdate(() => Date.now()),
  },
  (table) => [index("users_by_time").on(table.createdAt, table.id)],
);

export const profiles = sqliteTable(
  "profiles",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    email: caselessText().notNull().unique(),
    fullName: text("full_name").notNull().default(""),
    role: text({ enum: ROLES }).notNull().default("customer"),
  },
  () => [
    index("profiles_by_name").on(sql`"full_name" collate nocase`, sql`"email"`),
    index("profiles_staff").on(sql`"full_name" collate nocase`).where(sql`"role" <> 'customer'`),
    check("profile_role_known", oneOf("role", ROLES)),
  ],
);

export const authSessions = sqliteTable(
  "auth_sessions",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    refreshDigest: text("refresh_digest").unique(),
    previousDigest: text("previous_digest"),
    rotatedAt: integer("rotated_at"),
    expiresAt: integer("expires_at").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
    userAgent: text("user_agent").notNull().default(""),
    revokedAt: integer("revoked_at"),
    /** When to check whether its chat sockets must close, unless it is ended before. Null if it has none. */
    socketsDueAt: integer("sockets_due_at"),
    /** When the person last proved who they are, by signing up, logging in or confirming it once more. */
    verifiedAt: integer("verified_at").notNull(),
    /** When they last used a passkey, code or recovery code as the second factor. */
    secondFactorAt: integer("second_factor_at"),
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

export const passwordResets = sqliteTable(
  "password_resets",
  {
    tokenDigest: text("token_digest").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [
    index("password_resets_by_user").on(table.userId),
    index("password_resets_by_expiry").on(table.expiresAt),
  ],
);

/** Legacy hashes from the MySQL system. The hash is wiped once it has been migrated. */
export const tempMysqlPasswords = sqliteTable(
  "temp_mysql_passwords",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    mysqlPasswordHash: text("mysql_password_hash"),
    migrated: flag("migrated").notNull().default(false),
    /** The bcrypt cost, where the hash looks like bcrypt. */
    rounds: integer().generatedAlwaysAs(
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
export const emailChanges = sqliteTable(
  "email_changes",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenDigest: text("token_digest").notNull().unique(),
    newEmail: caselessText("new_email").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("email_changes_by_expiry").on(table.expiresAt)],
);

/** Notes of the team about a customer, for itself. */
export const customerNotes = sqliteTable(
  "customer_notes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    body: text().notNull(),
    // No foreign key: the note outlives its author's account. Null, and no name, once that is deleted.
    authorId: text("author_id"),
    authorName: text("author_name").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("customer_notes_by_user").on(table.userId, table.id),
    // For the deletion of a team member's account.
    index("customer_notes_by_author").on(table.authorId).where(sql`"author_id" is not null`),
    check("customer_note_length", sql`length("body") between 1 and 2000`),
  ],
);

/** Accounts being deleted. The row is written first and removed last, so an interrupted deletion is resumed. */
export const accountDeletions = sqliteTable("account_deletions", {
  // No foreign key: the row outlives the account.
  userId: text("user_id").primaryKey(),
  requestedAt: integer("requested_at").notNull(),
  /** Time of the last attempt; 0 before the first. */
  attemptedAt: integer("attempted_at").notNull().default(0),
});
