import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
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
  /** Raised by each change, see row-version.server.ts. */
  version: integer().notNull().default(1),
});

/** Lists of conversations that an agent named, each for its owner only. Empty texts filter by nothing. */
export const savedFilters = sqliteTable(
  "saved_filters",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: caselessText().notNull(),
    view: text().notNull(),
    tag: text().notNull(),
    assigneeId: text("assignee_id").notNull(),
    words: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [unique("saved_filters_once_per_name").on(table.userId, table.name)],
);

/** One row. */
export const supportSettings = sqliteTable(
  "support_settings",
  {
    id: integer().primaryKey(),
    value: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Raised by each change, see row-version.server.ts. */
    version: integer().notNull().default(1),
  },
  () => [check("support_settings_is_one_row", sql`"id" = 1`)],
);
