import { and, eq, gt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { announcements } from "#app/db/schema.server.ts";
import type { SiteSettings } from "./site-settings.ts";

export type Banner = Pick<
  typeof announcements.$inferSelect,
  "id" | "version" | "audience" | "body" | "link" | "linkLabel" | "startsAt" | "endsAt"
>;

/** The settings and the banners that run or are scheduled, as an isolate knows them. */
export type SiteState = { settings: SiteSettings; banners: Banner[] };

const BANNERS_READ = 20;

/** Selects the banners that run now or are scheduled, for a batch. */
export function selectBanners(db: Db, now: number) {
  const { id, version, audience, body, link, linkLabel, startsAt, endsAt } = announcements;
  return db
    .select({ id, version, audience, body, link, linkLabel, startsAt, endsAt })
    .from(announcements)
    .where(and(eq(announcements.kind, "banner"), gt(announcements.endsAt, now)))
    .orderBy(announcements.endsAt)
    .limit(BANNERS_READ);
}

/** Returns the running banner for these readers that started last, or null. */
export function bannerAt(banners: Banner[], reader: "visitor" | "customer" | "staff", now: number): Banner | null {
  const fits = ({ audience }: Banner) =>
    audience === "everyone" || (audience === "visitors") === (reader === "visitor");
  const running = banners.filter((one) => one.startsAt <= now && one.endsAt > now && fits(one));
  return running.toSorted((a, b) => b.startsAt - a.startsAt || b.id - a.id)[0] ?? null;
}
