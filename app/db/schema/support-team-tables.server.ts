import { sql } from "drizzle-orm";
import { check, integer, text, unique } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import {
  caselessText,
  exported,
  impersonalTable,
  internal,
  json,
  kept,
  personalTable,
  time,
} from "./column-types.server.ts";

/** Support settings made by admins. In the main database, so that each change shares a batch with its audit entry. */

/** Replies written once and used often. */
export const savedReplies = personalTable("saved_replies", {
  id: kept.internal(integer()).primaryKey({ autoIncrement: true }),
  /** Typed after the slash. */
  shortcut: kept.internal(caselessText()).notNull().unique(),
  /** May be empty if it has effects. */
  body: kept.internal(text()).notNull(),
  /** Tags, assignee and so on, as in `ReplyEffects`. */
  effects: kept.internal(json<Record<string, unknown>>()).notNull(),
  updatedBy: kept.internal(text("updated_by")).notNull(),
  updatedAt: kept.internal(time("updated_at")).notNull(),
  /** Raised by each change, see row-version.server.ts. */
  version: kept.internal(integer()).notNull().default(1),
});

/** Lists of conversations that an agent named, each for its owner only. Empty texts filter by nothing. */
export const savedFilters = personalTable(
  "saved_filters",
  {
    id: internal(integer()).primaryKey({ autoIncrement: true }),
    userId: internal(text("user_id"))
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: exported(caselessText()).notNull(),
    view: exported(text()).notNull(),
    tag: exported(text()).notNull(),
    assigneeId: internal(text("assignee_id")).notNull(),
    words: exported(text()).notNull(),
    createdAt: exported(time("created_at")).notNull(),
  },
  (table) => [unique("saved_filters_once_per_name").on(table.userId, table.name)],
);

/** One row. */
export const supportSettings = impersonalTable(
  "support_settings",
  {
    id: integer().primaryKey(),
    value: json<Record<string, unknown>>().notNull(),
    updatedAt: time("updated_at").notNull(),
    /** Raised by each change, see row-version.server.ts. */
    version: integer().notNull().default(1),
  },
  () => [check("support_settings_is_one_row", sql`"id" = 1`)],
);
