import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { caselessText } from "./column-types.server.ts";

/** Links that confirm the address an account signed up with. All of an account's links work until one is used. */
export const emailVerifications = sqliteTable(
  "email_verifications",
  {
    tokenDigest: text("token_digest").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The address that the link was sent to. It confirms no other. */
    email: caselessText().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("email_verifications_by_user").on(table.userId),
    index("email_verifications_by_expiry").on(table.expiresAt),
  ],
);

/** Links that undo a change of the email address, sent to the old one. */
export const emailChangeUndos = sqliteTable(
  "email_change_undos",
  {
    /** Ascending: an undo voids the links of later changes. */
    id: integer().primaryKey(),
    tokenDigest: text("token_digest").notNull().unique(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    oldEmail: caselessText("old_email").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [
    index("email_change_undos_by_user").on(table.userId),
    index("email_change_undos_by_address").on(table.oldEmail),
    index("email_change_undos_by_expiry").on(table.expiresAt),
  ],
);
