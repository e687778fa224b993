import { sql } from "drizzle-orm";
import { check, index, integer, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import {
  exported,
  flag,
  impersonalTable,
  internal,
  oneOf,
  personalTable,
  secret,
  time,
} from "./column-types.server.ts";

/** A multi-device passkey is synced between the devices of its owner, so its sign count says nothing. */
export const PASSKEY_DEVICE_TYPES = ["singleDevice", "multiDevice"] as const;

export const passkeys = personalTable(
  "passkeys",
  {
    /** The credential id that the authenticator chose, in base64url. */
    id: internal(text()).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The COSE key in base64url. */
    publicKey: internal(text("public_key")).notNull(),
    signCount: internal(integer("sign_count")).notNull(),
    /** How the browser reaches the authenticator: "internal,hybrid". */
    transports: internal(text()).notNull().default(""),
    name: exported(text()).notNull(),
    deviceType: exported(text("device_type", { enum: PASSKEY_DEVICE_TYPES })).notNull(),
    backedUp: exported(flag("backed_up")).notNull(),
    /** Whether a log-in by password asks for a second factor because of this passkey. */
    isSecondFactor: exported(flag("is_second_factor")).notNull(),
    createdAt: exported(time("created_at")).notNull(),
    lastUsedAt: exported(time("last_used_at")),
  },
  (table) => [
    index("passkeys_by_user").on(table.userId),
    check("passkey_device_type_known", oneOf("device_type", PASSKEY_DEVICE_TYPES)),
    check("passkey_backed_up_is_flag", sql`"backed_up" in (0, 1)`),
    check("passkey_second_factor_is_flag", sql`"is_second_factor" in (0, 1)`),
  ],
);

/** The secret that an authenticator app shares with us. It counts once a code of it was entered. */
export const totpSecrets = personalTable("totp_secrets", {
  userId: internal(text("user_id"))
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  sealedSecret: secret(text("sealed_secret")).notNull(),
  createdAt: exported(time("created_at")).notNull(),
  confirmedAt: exported(time("confirmed_at")),
  /** The time step of the last accepted code. Codes of this and earlier steps are refused. */
  lastStep: internal(integer("last_step")),
});

export const recoveryCodes = personalTable(
  "recovery_codes",
  {
    digest: secret(text()).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: exported(time("created_at")).notNull(),
    usedAt: exported(time("used_at")),
  },
  (table) => [index("recovery_codes_by_user").on(table.userId)],
);

/** The link with which staff without a second factor may set up the first one. An account has at most one. */
export const staffSetupLinks = personalTable(
  "staff_setup_links",
  {
    userId: internal(text("user_id"))
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenDigest: secret(text("token_digest")).notNull(),
    /** Whether the account's mailbox has the link, so that a reset of the password ends it. Else the operator gave it. */
    isEmailed: internal(flag("is_emailed")).notNull(),
    /** The session that opened the link: only it may set up a factor. Null until then. */
    sessionId: internal(text("session_id")),
    /** For opening the link, and from then on for the setup. */
    expiresAt: internal(time("expires_at")).notNull(),
  },
  (table) => [index("staff_setup_links_by_expiry").on(table.expiresAt)],
);

/** Single-use tokens that were used, until they expire: passkey challenges and log-ins that wait for a second factor. */
export const usedTokens = impersonalTable(
  "used_tokens",
  {
    digest: secret(text()).primaryKey(),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [index("used_tokens_by_expiry").on(table.expiresAt)],
);
