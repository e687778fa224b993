import type { Db } from "#app/db/db.server.ts";
import {
  type Announcement,
  listAnnouncements,
  listUpdates,
  readAnnouncement,
} from "#app/db/settings/announcements.server.ts";
import { listPage, readCursor, readSort } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";

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
  return { rows: rows.map((one) => shown(one, now)), next, edited: edited && shown(edited, now), sort, sorts: SORTS };
}

export type StaffAnnouncement = ReturnType<typeof shown>;

function shown({ changedBy: _, changedAt: __, ...one }: Announcement, now: number) {
  const state = one.endsAt <= now ? "ended" : one.startsAt > now ? "scheduled" : "running";
  return { ...one, state } as const;
}

/** Reads what the page of updates shows above the changes of the catalog. */
export async function readUpdates(db: Db, now: number) {
  const updates = await listUpdates(db, now);
  return updates.map(({ id, body, link, linkLabel, startsAt }) => ({ id, body, link, linkLabel, startsAt }));
}
