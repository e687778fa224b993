import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { flag, oneOf } from "./column-types.server.ts";

/** A multi-device passkey is synced between the devices of its owner, so its sign count says nothing. */
export const PASSKEY_DEVICE_TYPES = ["singleDevice", "multiDevice"] as const;

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** The credential id that the authenticator chose, in base64url. */
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The COSE key in base64url. */
    publicKey: text("public_key").notNull(),
    signCount: integer("sign_count").notNull(),
    /** How the browser reaches the authenticator: "internal,hybrid". */
    transports: text().notNull().default(""),
    name: text().notNull(),
    deviceType: text("device_type", { enum: PASSKEY_DEVICE_TYPES }).notNull(),
    backedUp: flag("backed_up").notNull(),
    /** Whether a log-in by password asks for a second factor because of this passkey. */
    isSecondFactor: flag("is_second_factor").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    index("passkeys_by_user").on(table.userId),
    check("passkey_device_type_known", oneOf("device_type", PASSKEY_DEVICE_TYPES)),
    check("passkey_backed_up_is_flag", sql`"backed_up" in (0, 1)`),
    check("passkey_second_factor_is_flag", sql`"is_second_factor" in (0, 1)`),
  ],
);

/** The secret that an authenticator app shares with us. It counts once a code of it was entered. */
export const totpSecrets = sqliteTable("totp_secrets", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  sealedSecret: text("sealed_secret").notNull(),
  createdAt: integer("created_at").notNull(),
  confirmedAt: integer("confirmed_at"),
  /** The time step of the last accepted code. Codes of this and earlier steps are refused. */
  lastStep: integer("last_step"),
});

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    digest: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("recovery_codes_by_user").on(table.userId)],
);

/** The link with which staff without a second factor may set up the first one. An account has at most one. */
export const staffSetupLinks = sqliteTable(
  "staff_setup_links",
  {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenDigest: text("token_digest").notNull(),
    /** Whether the account's mailbox has the link, so that a reset of the password ends it. Else the operator gave it. */
    isEmailed: integer("is_emailed", { mode: "boolean" }).notNull(),
    /** The session that opened the link: only it may set up a factor. Null until then. */
    sessionId: text("session_id"),
    /** For opening the link, and from then on for the setup. */
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("staff_setup_links_by_expiry").on(table.expiresAt)],
);

/** Single-use tokens that were used, until they expire: passkey challenges and log-ins that wait for a second factor. */
export const usedTokens = sqliteTable(
  "used_tokens",
  {
    digest: text().primaryKey(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("used_tokens_by_expiry").on(table.expiresAt)],
);
