import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { ANNOUNCEMENT_KINDS, AUDIENCES, announcements } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { DAY_MS } from "#app/time.ts";
import type { SiteSettings } from "./site-settings.ts";

export type Announcement = typeof announcements.$inferSelect;
export type Banner = Pick<
  Announcement,
  "id" | "version" | "audience" | "body" | "link" | "linkLabel" | "startsAt" | "endsAt"
>;

/** The settings and the banners that run or are scheduled, as an isolate knows them. */
export type SiteState = { settings: SiteSettings; banners: Banner[] };

const MAX_BODY_CHARS = 300;
const MAX_LABEL_CHARS = 60;
const MAX_LINK_CHARS = 500;
/** As far ahead as an announcement may end. */
const MAX_AHEAD_DAYS = 366;
const BANNERS_READ = 20;
export const UPDATES_SHOWN = 20;

const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `Use at most ${max} characters`)
    .regex(/^[^\p{Cc}]*$/u, "Use one line of plain text");

/** A path of the site, or an address that browsers open over https. */
function isLink(text: string): boolean {
  if (/^\/(?![/\\])[^\s\\]*$/.test(text)) return true;
  return /^https:\/\/[^\s\\]+$/.test(text) && URL.canParse(text);
}

/** The value of a datetime-local input, read as UTC. */
const utcTime = z
  .string()
  .trim()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/, "Enter a date and a time")
  .transform((text) => Date.parse(`${text}Z`))
  .pipe(z.int("Enter a date and a time"));

export const announcementInput = z
  .object({
    kind: z.enum(ANNOUNCEMENT_KINDS),
    audience: z.enum(AUDIENCES),
    body: line(MAX_BODY_CHARS).min(1, "Enter a text"),
    link: line(MAX_LINK_CHARS).refine(
      (text) => text === "" || isLink(text),
      "Enter a path like /updates, or an https address",
    ),
    linkLabel: line(MAX_LABEL_CHARS),
    startsAt: utcTime,
    endsAt: utcTime,
  })
  .refine(({ link, linkLabel }) => (link === "") === (linkLabel === ""), {
    path: ["linkLabel"],
    error: "Enter both the link and its text, or neither",
  })
  .refine(({ startsAt, endsAt }) => endsAt > startsAt, { path: ["endsAt"], error: "Must be after the start" })
  .refine(({ endsAt }) => endsAt < Date.now() + MAX_AHEAD_DAYS * DAY_MS, {
    path: ["endsAt"],
    error: "Must be within a year",
  })
  .transform(({ link, linkLabel, ...rest }) => ({ ...rest, link: link || null, linkLabel: linkLabel || null }));

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

/** Returns the banner to show: of those that run for these readers, the one that started last. */
export function bannerAt(banners: Banner[], reader: "visitor" | "customer" | "staff", now: number): Banner | null {
  const fits = ({ audience }: Banner) =>
    audience === "everyone" || (audience === "visitors") === (reader === "visitor");
  const running = banners.filter((one) => one.startsAt <= now && one.endsAt > now && fits(one));
  return running.toSorted((a, b) => b.startsAt - a.startsAt || b.id - a.id)[0] ?? null;
}

/** Returns the announcements that /updates shows, newest first. */
export function listUpdates(db: Db, now: number): Promise<Announcement[]> {
  return db
    .select()
    .from(announcements)
    .where(and(eq(announcements.kind, "update"), lte(announcements.startsAt, now), gt(announcements.endsAt, now)))
    .orderBy(desc(announcements.startsAt), desc(announcements.id))
    .limit(UPDATES_SHOWN);
}

/** Lists announcements for staff, those that ended among them, by their ids, which grow with the time. */
export function listAnnouncements(
  db: Db,
  { descending, cursor }: { descending: boolean; cursor: { value: string | number; id: string | number } | null },
  limit: number,
): Promise<Announcement[]> {
  const { after, order } = keyset({ value: announcements.id, id: announcements.id, descending }, cursor);
  return db
    .select()
    .from(announcements)
    .where(after)
    .orderBy(...order)
    .limit(limit);
}

export async function readAnnouncement(db: Db, id: number): Promise<Announcement | null> {
  const [found] = await db.select().from(announcements).where(eq(announcements.id, id)).limit(1);
  return found ?? null;
}

type Input = z.infer<typeof announcementInput>;

/** Creates an announcement, or changes or ends the one that still has this version. Returns false if it hasn't. */
export async function saveAnnouncement(
  db: Db,
  by: Actor,
  input: Input,
  existing: { id: number; version: number } | null,
  once: string | null = null,
): Promise<boolean> {
  const row = { ...input, changedBy: by.userId, changedAt: Date.now() };
  if (!existing) {
    await db.batch([
      db.insert(announcements).values(row),
      audit(db, by, {
        action: "announcement.create",
        subject: "settings",
        subjectId: sql<string>`(select 'announcement ' || max(id) from announcements)`,
        detail: announcementAuditText(input),
        onceKey: once,
      }),
    ]);
    return true;
  }
  const [before] = await db.select().from(announcements).where(eq(announcements.id, existing.id)).limit(1);
  if (before?.version !== existing.version) return false;
  const [old, now] = [announcementAuditText(before), announcementAuditText(input)];
  const changed = Object.keys(now).filter((name) => ownValue(old, name) !== ownValue(now, name));
  if (changed.length === 0) return true;
  const detail = Object.fromEntries(changed.map((name) => [name, [ownValue(old, name), ownValue(now, name)]]));
  return ifUnchanged(existing, (subjectId) =>
    db.batch([
      audit(db, by, { action: "announcement.change", subject: "settings", subjectId, detail }),
      db
        .update(announcements)
        .set({ ...row, version: existing.version + 1 })
        .where(eq(announcements.id, existing.id)),
    ]),
  );
}

/** Deletes the announcement if it still has this version. Returns false if it hasn't. */
export async function deleteAnnouncement(
  db: Db,
  by: Actor,
  existing: { id: number; version: number },
): Promise<boolean> {
  const [before] = await db.select().from(announcements).where(eq(announcements.id, existing.id)).limit(1);
  if (before?.version !== existing.version) return false;
  return ifUnchanged(existing, (subjectId) =>
    db.batch([
      audit(db, by, {
        action: "announcement.delete",
        subject: "settings",
        subjectId,
        detail: announcementAuditText(before),
      }),
      db.delete(announcements).where(eq(announcements.id, existing.id)),
    ]),
  );
}

async function ifUnchanged(
  { id, version }: { id: number; version: number },
  write: (subjectId: ReturnType<typeof sql<string>>) => Promise<unknown>,
): Promise<boolean> {
  try {
    // NULL, which the audit log refuses, if someone else saved meanwhile.
    await write(
      sql<string>`(select 'announcement ' || id from announcements where id = ${id} and version = ${version})`,
    );
    return true;
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return false;
    throw error;
  }
}

/** Returns an announcement as the audit log has it. */
export function announcementAuditText({
  kind,
  audience,
  body,
  link,
  linkLabel,
  startsAt,
  endsAt,
}: Input): Record<string, string> {
  const [from, until] = [startsAt, endsAt].map((at) => new Date(at).toISOString());
  return { kind, audience, body, link: link ?? "", linkLabel: linkLabel ?? "", from: from ?? "", until: until ?? "" };
}

/** Reads what `announcementAuditText` wrote. Returns null for anything else. */
export function readAnnouncementTexts(texts: Record<string, unknown>): Input | null {
  const { kind, audience, body, link, linkLabel, from, until } = texts;
  const [startsAt, endsAt] = [Date.parse(String(from)), Date.parse(String(until))];
  const isKnown = ANNOUNCEMENT_KINDS.some((one) => one === kind) && AUDIENCES.some((one) => one === audience);
  if (!isKnown || typeof body !== "string" || Number.isNaN(startsAt) || Number.isNaN(endsAt)) return null;
  const known = { kind, audience } as Pick<Input, "kind" | "audience">;
  return { ...known, body, link: String(link) || null, linkLabel: String(linkLabel) || null, startsAt, endsAt };
}

/** Returns whether an announcement can be shown: what the form refuses, the table does too. */
export function isShowable({ link, linkLabel, startsAt, endsAt }: Input): boolean {
  return (link === null) === (linkLabel === null) && endsAt > startsAt;
}
