import { sql } from "drizzle-orm";
import { check, index, integer, text } from "drizzle-orm/sqlite-core";
import { json, kept, oneOf, personalTable, time } from "./column-types.server.ts";

/** Settings that admins set for the whole product. One without a row has its default, see site-settings.ts. */
export const settings = personalTable("settings", {
  name: kept.internal(text()).primaryKey(),
  value: kept.internal(json<unknown>()).notNull(),
  /** Raised by each change. A form carries the version that it began from. */
  version: kept.internal(integer()).notNull(),
  changedBy: kept.internal(text("changed_by")).notNull(),
  changedAt: kept.internal(time("changed_at")).notNull(),
});

/** `banner`: above every page while it runs. `update`: an entry of /updates from its start on. */
export const ANNOUNCEMENT_KINDS = ["banner", "update"] as const;
export type AnnouncementKind = (typeof ANNOUNCEMENT_KINDS)[number];

/** Whom a banner is shown to. */
export const AUDIENCES = ["everyone", "visitors", "customers"] as const;
export type Audience = (typeof AUDIENCES)[number];

export const announcements = personalTable(
  "announcements",
  {
    id: kept.internal(integer()).primaryKey({ autoIncrement: true }),
    kind: kept.internal(text({ enum: ANNOUNCEMENT_KINDS })).notNull(),
    audience: kept.internal(text({ enum: AUDIENCES })).notNull(),
    body: kept.internal(text()).notNull(),
    /** A path of the site or an https URL. Null: no link. */
    link: kept.internal(text()),
    linkLabel: kept.internal(text("link_label")),
    startsAt: kept.internal(time("starts_at")).notNull(),
    endsAt: kept.internal(time("ends_at")).notNull(),
    version: kept.internal(integer()).notNull().default(1),
    changedBy: kept.internal(text("changed_by")).notNull(),
    changedAt: kept.internal(time("changed_at")).notNull(),
  },
  (table) => [
    index("announcements_by_end").on(table.kind, table.endsAt),
    check("announcement_kind_known", oneOf("kind", ANNOUNCEMENT_KINDS)),
    check("announcement_audience_known", oneOf("audience", AUDIENCES)),
    check("announcement_ends_after_its_start", sql`"ends_at" > "starts_at"`),
    check("announcement_link_is_whole", sql`("link" is null) = ("link_label" is null)`),
  ],
);
