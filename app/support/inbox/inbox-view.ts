/** The views of the inbox. The database (`inbox.server.ts`) and an open console apply the same rules. */

export const INBOX_VIEWS = ["open", "mine", "unassigned", "closed", "snoozed"] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** `unread`: it has a visitor's message that no agent has read. Times in ms. */
export type InboxRow = {
  id: number;
  sessionId: string;
  userName: string;
  userEmail: string | null;
  status: "open" | "closed";
  blocked: boolean;
  assigneeId: string | null;
  assigneeName: string | null;
  tags: string[];
  lastMessage: string;
  updatedAt: number;
  /** Hidden from the lists of open ones until then. 0: not snoozed. */
  snoozedUntil: number;
  /** By when it is to be answered. 0: it is answered, or there is no target. */
  respondBy: number;
  unread: boolean;
};

/** `unread` counts open conversations that are assigned to the viewer or to nobody. */
export type InboxCounts = Record<InboxView | "unread", number>;

/**
 * How many conversations of a status an assignee has, and how many of them are unread. `assigneeId` is empty for unassigned.
 * `isSnoozed`: of those counted as open, how many are snoozed now.
 */
export type InboxTotal = {
  status: "open" | "closed";
  assigneeId: string;
  conversations: number;
  unread: number;
  isSnoozed: boolean;
};

export function countsOf(totals: InboxTotal[], agentId: string): InboxCounts {
  const counts: InboxCounts = { open: 0, mine: 0, unassigned: 0, closed: 0, snoozed: 0, unread: 0 };
  for (const { status, assigneeId, conversations, unread, isSnoozed } of totals) {
    const sign = isSnoozed ? -1 : 1;
    counts[status] += sign * conversations;
    if (isSnoozed) counts.snoozed += conversations;
    if (status === "closed") continue;
    if (assigneeId === agentId) counts.mine += sign * conversations;
    if (assigneeId === "") counts.unassigned += sign * conversations;
    if (assigneeId === agentId || assigneeId === "") counts.unread += sign * unread;
  }
  return counts;
}

/** A note that mentions the viewer, whose conversation they have not opened since. */
export type Mention = { sessionId: string; noteNo: number; userName: string; authorName: string; createdAt: number };
/** The same in the list of mentions, which has read ones too. */
export type ListedMention = Mention & { excerpt: string; unread: boolean };
/** More unread ones are not counted. */
export const MENTIONS_COUNTED = 20;

/** A list that an agent named: conversations of a view with a tag, an assignee and words. Empty texts filter by nothing. */
export type SavedFilter = { id: number; name: string; view: InboxView; tag: string; assigneeId: string; words: string };
export const FILTERS_MAX = 20;
export const FILTER_NAME_MAX_CHARS = 40;

/** Returns whether a conversation has the filter's tag and assignee. Case does not distinguish tags. */
export function fitsFilter(row: Pick<InboxRow, "tags" | "assigneeId">, filter: ListFilter | null): boolean {
  if (!filter) return true;
  const hasTag = filter.tag === "" || row.tags.some((tag) => tag.toLowerCase() === filter.tag.toLowerCase());
  return hasTag && (filter.assigneeId === "" || row.assigneeId === filter.assigneeId);
}

export type ListFilter = Pick<SavedFilter, "tag" | "assigneeId">;

/**
 * `next`: the cursor of the next page, null at the end. `readAt`: server time in ms. `changesAt`: when the list changes by
 * itself, because a snoozed conversation returns or a reply is overdue; null if it does not.
 */
export type InboxPage = {
  rows: InboxRow[];
  next: string | null;
  counts: InboxCounts;
  readAt: number;
  changesAt: number | null;
  /** Unread ones, newest first, as far as they are counted. */
  mentions: Mention[];
};

export function parseView(text: string | null): InboxView {
  return INBOX_VIEWS.find((view) => view === text) ?? "open";
}

/** `now`: server time in ms. */
export function isInView(row: InboxRow, view: InboxView, { agentId, now }: { agentId: string; now: number }): boolean {
  const isAwake = row.status === "open" && row.snoozedUntil <= now;
  switch (view) {
    case "open":
      return isAwake;
    case "mine":
      return isAwake && row.assigneeId === agentId;
    case "unassigned":
      return isAwake && row.assigneeId === null;
    case "closed":
      return row.status === "closed";
    case "snoozed":
      return row.status === "open" && !isAwake;
    default:
      view satisfies never;
      return false;
  }
}

/** A conversation's place in a list: overdue ones first, the longest overdue on top, then the newest activity first. */
export type Place = { isOverdue: boolean; at: number; id: number };
type Placed = Pick<InboxRow, "id" | "updatedAt" | "status" | "snoozedUntil" | "respondBy">;

/** `now`: server time in ms. */
export function placeOf({ id, updatedAt, status, snoozedUntil, respondBy }: Placed, now: number): Place {
  const isOverdue = status === "open" && snoozedUntil <= now && respondBy > 0 && respondBy <= now;
  return { isOverdue, at: isOverdue ? respondBy : updatedAt, id };
}

export function comparePlaces(one: Place, other: Place): number {
  if (one.isOverdue !== other.isOverdue) return one.isOverdue ? -1 : 1;
  return one.isOverdue ? one.at - other.at || one.id - other.id : other.at - one.at || other.id - one.id;
}

export function cursorOf({ isOverdue, at, id }: Place): string {
  return `${isOverdue ? "o" : ""}${at}.${id}`;
}

/** Returns null unless the text is a cursor. */
export function parseCursor(text: string | null): Place | null {
  const match = /^(o?)(\d{1,15})\.(\d{1,15})$/.exec(text ?? "");
  return match ? { isOverdue: match[1] === "o", at: Number(match[2]), id: Number(match[3]) } : null;
}

/**
 * Returns the list with the given changes. `asked`: ids that were read again; one missing from `changed` was deleted.
 * Rows that belong below the end of an incomplete list are left to the next page.
 */
export function withChanges(
  list: { rows: InboxRow[]; next: string | null },
  change: {
    asked: string[];
    changed: InboxRow[];
    view: InboxView;
    filter?: ListFilter | null;
    agentId: string;
    now: number;
  },
): InboxRow[] {
  const asked = new Set(change.asked);
  const kept = list.rows.filter((row) => !asked.has(row.sessionId));
  const end = parseCursor(list.next);
  const placed = (row: InboxRow) => placeOf(row, change.now);
  const fitting = change.changed.filter(
    (row) =>
      isInView(row, change.view, change) &&
      fitsFilter(row, change.filter ?? null) &&
      (end === null || comparePlaces(placed(row), end) <= 0),
  );
  return [...kept, ...fitting].sort((one, other) => comparePlaces(placed(one), placed(other)));
}
