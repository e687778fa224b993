import { eq, getTableColumns, sql } from "drizzle-orm";
import { z } from "zod";
import { cutText } from "#app/cut-text.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { ANNOUNCEMENT_KINDS, AUDIENCES, announcements } from "#app/db/schema.server.ts";
import { type ListCursor, listPage } from "#app/http/lists/list-query.ts";
import { DAY_MS } from "#app/time.ts";
import { fieldSchemas } from "../resource/field-schemas.server.ts";
import { momentText } from "../resource/fields.ts";
import { loggedOf } from "../resource/resource-undo.server.ts";
import type { ListQuery, SeenRow, Store, Stored } from "../resource/store.server.ts";
import { deleteRow, saveRow } from "../resource/versioned-rows.server.ts";
import ANNOUNCEMENTS, { ANNOUNCEMENT_FIELDS, type Announcement } from "../resources/announcements.tsx";

/** As far ahead as an announcement may end. */
const MAX_AHEAD_DAYS = 366;
const NAME_CHARS = 60;

const { changedBy: _, changedAt: __, ...SHOWN } = getTableColumns(announcements);

const line = ({ max }: { max: number }) =>
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

export const announcementInput = fieldSchemas(ANNOUNCEMENT_FIELDS, {
  kind: z.enum(ANNOUNCEMENT_KINDS),
  audience: z.enum(AUDIENCES),
  body: line(ANNOUNCEMENT_FIELDS.body).min(1, "Enter a text"),
  link: line(ANNOUNCEMENT_FIELDS.link)
    .refine((text) => text === "" || isLink(text), "Enter a path like /updates, or an https address")
    .default(""),
  linkLabel: line(ANNOUNCEMENT_FIELDS.linkLabel).default(""),
})
  .refine(({ link, linkLabel }) => (link === "") === (linkLabel === ""), {
    path: ["linkLabel"],
    error: "Enter both the link and its text, or neither",
  })
  .refine(({ startsAt, endsAt }) => endsAt > startsAt, { path: ["endsAt"], error: "Must be after the start" })
  .refine(({ endsAt }) => endsAt < Date.now() + MAX_AHEAD_DAYS * DAY_MS, {
    path: ["endsAt"],
    error: "Must be within a year",
  });
export type AnnouncementInput = z.output<typeof announcementInput>;

const announcementStore: Store<Announcement, AnnouncementInput> = {
  resource: ANNOUNCEMENTS,
  named: { table: announcements, name: announcements.body },
  input: announcementInput,
  sorts: ["created"],
  sortedBy: "-created",
  list,
  async read(db, id) {
    const one = await readAnnouncement(db, id);
    return one && { id, version: one.version, name: `“${nameOf(one.body)}”`, texts: textsOf(one) };
  },
  save: saveAnnouncement,
  actions: { delete: deleteAnnouncement },
  refusals: {
    repeated: { message: "This form was already submitted. The announcement is in the list." },
    not_found: { message: "Someone else deleted this announcement. Nothing was saved." },
    stale: { message: "Someone else changed this announcement meanwhile. Nothing was deleted." },
  },
};
export default announcementStore;

export async function saveAnnouncement(
  db: Db,
  by: Actor,
  edited: SeenRow | null,
  { link, linkLabel, ...rest }: AnnouncementInput,
  once: string | null,
): Promise<Stored> {
  const terms = { ...rest, link: link || null, linkLabel: linkLabel || null };
  const before = edited && (await readAnnouncement(db, edited.id));
  const stored = await saveRow(db, by, "announcement", {
    ...{ table: announcements, edited, once },
    row: { ...terms, changedBy: by.userId, changedAt: Date.now() },
    was: before ? loggedOf(ANNOUNCEMENTS, textsOf(before)) : null,
    is: loggedOf(ANNOUNCEMENTS, textsOf(terms)),
    newId: sql`(select cast(max(id) as text) from announcements)`,
  });
  return stored.ok ? { ok: true, message: edited ? "Announcement saved." : "Announcement scheduled." } : stored;
}

export async function deleteAnnouncement(db: Db, by: Actor, seen: SeenRow): Promise<Stored> {
  const before = await readAnnouncement(db, seen.id);
  const was = before ? loggedOf(ANNOUNCEMENTS, textsOf(before)) : null;
  const deleted = await deleteRow(db, by, "announcement", { table: announcements, seen, was });
  return deleted.ok ? { ok: true, message: "Announcement deleted." } : deleted;
}

/** Lists announcements, those that ended among them, by their ids, which grow with the time. */
async function list(db: Db, { sort: { descending } }: ListQuery, cursor: ListCursor | null, limit: number) {
  const { after, order } = keyset({ value: announcements.id, id: announcements.id, descending }, cursor);
  const rows = await db
    .select(SHOWN)
    .from(announcements)
    .where(after)
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows, limit, ({ id }) => ({ value: id, id }));
}

async function readAnnouncement(db: Db, id: number): Promise<Announcement | undefined> {
  const [found] = await db.select(SHOWN).from(announcements).where(eq(announcements.id, id)).limit(1);
  return found;
}

/** Returns an announcement as its form shows it. */
function textsOf({
  kind,
  audience,
  body,
  link,
  linkLabel,
  startsAt,
  endsAt,
}: Omit<Announcement, "id" | "version">): Record<string, string> {
  const times = { startsAt: momentText(startsAt), endsAt: momentText(endsAt) };
  return { kind, audience, body, link: link ?? "", linkLabel: linkLabel ?? "", ...times };
}

function nameOf(body: string): string {
  return body.length > NAME_CHARS ? `${cutText(body, NAME_CHARS - 1)}…` : body;
}
