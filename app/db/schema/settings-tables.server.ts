import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { oneOf } from "./column-types.server.ts";

/** Settings that admins set for the whole product. One without a row has its default, see site-settings.ts. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text({ mode: "json" }).$type<unknown>().notNull(),
  /** Raised by each change. A form carries the version that it began from. */
  version: integer().notNull(),
  changedBy: text("changed_by").notNull(),
  changedAt: integer("changed_at").notNull(),
});

/** `banner`: above every page while it runs. `update`: an entry of /updates from its start on. */
export const ANNOUNCEMENT_KINDS = ["banner", "update"] as const;
export type AnnouncementKind = (typeof ANNOUNCEMENT_KINDS)[number];

/** Whom a banner is shown to. */
export const AUDIENCES = ["everyone", "visitors", "customers"] as const;
export type Audience = (typeof AUDIENCES)[number];

export const announcements = sqliteTable(
  "announcements",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text({ enum: ANNOUNCEMENT_KINDS }).notNull(),
    audience: text({ enum: AUDIENCES }).notNull(),
    body: text().notNull(),
    /** A path of the site or an https URL. Null: no link. */
    link: text(),
    linkLabel: text("link_label"),
    startsAt: integer("starts_at").notNull(),
    endsAt: integer("ends_at").notNull(),
    version: integer().notNull().default(1),
    changedBy: text("changed_by").notNull(),
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [
    index("announcements_by_end").on(table.kind, table.endsAt),
    check("announcement_kind_known", oneOf("kind", ANNOUNCEMENT_KINDS)),
    check("announcement_audience_known", oneOf("audience", AUDIENCES)),
    check("announcement_ends_after_its_start", sql`"ends_at" > "starts_at"`),
    check("announcement_link_is_whole", sql`("link" is null) = ("link_label" is null)`),
  ],
);
