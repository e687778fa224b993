import type { Db } from "#app/db/db.server.ts";
import { beginEdit, type FieldTexts } from "#app/http/edits/edit-input.server.ts";
import { listPage, readCursor, readSort } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type Announcement, listAnnouncements, readAnnouncement } from "#app/settings/announcements.server.ts";

const SORTS = ["created"] as const;
const PER_PAGE = 50;

/** Reads a page of announcements as staff see them, and the one that is edited, on whichever page it is. */
export async function readStaffAnnouncements(db: Db, searchParams: URLSearchParams, now: number) {
  const sort = readSort(searchParams, SORTS, "-created");
  const editedId = parseId(searchParams.get("edit"));
  const cursor = readCursor(searchParams);
  const [listed, edited] = await Promise.all([
    listAnnouncements(db, { descending: sort.descending, cursor }, PER_PAGE + 1),
    editedId === null ? null : readAnnouncement(db, editedId),
  ]);
  const { rows, next } = listPage(listed, PER_PAGE, ({ id }) => ({ value: id, id }));
  const form = edited && { edited: shown(edited, now), edit: beginEdit(edited.version, announcementTexts(edited)) };
  return { rows: rows.map((one) => shown(one, now)), next, form, sort, sorts: SORTS };
}

/** Returns an announcement as its form shows it. */
export function announcementTexts(
  one: Pick<Announcement, "kind" | "audience" | "body" | "link" | "linkLabel" | "startsAt" | "endsAt">,
): FieldTexts {
  const { kind, audience, body, link, linkLabel, startsAt, endsAt } = one;
  const [from = "", until = ""] = [startsAt, endsAt].map((at) => new Date(at).toISOString().slice(0, 16));
  return { kind, audience, body, link: link ?? "", linkLabel: linkLabel ?? "", startsAt: from, endsAt: until };
}

export type StaffAnnouncement = ReturnType<typeof shown>;

function shown({ changedBy: _, changedAt: __, ...one }: Announcement, now: number) {
  const state = one.endsAt <= now ? "ended" : one.startsAt > now ? "scheduled" : "running";
  return { ...one, state } as const;
}
