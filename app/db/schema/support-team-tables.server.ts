import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { caselessText } from "./column-types.server.ts";

/** Support settings made by admins. In the main database, so that each change shares a batch with its audit entry. */

/** Replies written once and used often. */
export const savedReplies = sqliteTable("saved_replies", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** Typed after the slash. */
  shortcut: caselessText().notNull().unique(),
  /** May be empty if it has effects. */
  body: text().notNull(),
  /** Tags, assignee and so on, as in `ReplyEffects`. */
  effects: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  updatedBy: text("updated_by").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** One row. */
export const supportSettings = sqliteTable(
  "support_settings",
  {
    id: integer().primaryKey(),
    value: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  () => [check("support_settings_is_one_row", sql`"id" = 1`)],
);
