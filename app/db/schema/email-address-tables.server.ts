import { index, integer, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { caselessText, exported, internal, personalTable, secret, time } from "./column-types.server.ts";

/** Links that confirm the address an account signed up with. All of an account's links work until one is used. */
export const emailVerifications = personalTable(
  "email_verifications",
  {
    tokenDigest: secret(text("token_digest")).primaryKey(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The address that the link was sent to. It confirms no other. */
    email: internal(caselessText()).notNull(),
    expiresAt: internal(time("expires_at")).notNull(),
  },
  (table) => [
    index("email_verifications_by_user").on(table.userId),
    index("email_verifications_by_expiry").on(table.expiresAt),
  ],
);

/** Links that undo a change of the email address, sent to the old one. */
export const emailChangeUndos = personalTable(
  "email_change_undos",
  {
    /** Ascending: an undo voids the links of later changes. */
    id: internal(integer()).primaryKey(),
    tokenDigest: secret(text("token_digest")).notNull().unique(),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    oldEmail: exported(caselessText("old_email")).notNull(),
    createdAt: exported(time("created_at")).notNull(),
    expiresAt: exported(time("expires_at"), "undoUntil").notNull(),
    usedAt: exported(time("used_at"), "undoneAt"),
  },
  (table) => [
    index("email_change_undos_by_user").on(table.userId),
    index("email_change_undos_by_address").on(table.oldEmail),
    index("email_change_undos_by_expiry").on(table.expiresAt),
  ],
);
