/** Which conversations a list shows, decided the same way by the database and by an open console. */

export const INBOX_VIEWS = ["open", "mine", "unassigned", "closed"] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** `unread`: a visitor's message that nobody of the team has seen. Times in ms. */
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
  unread: boolean;
};

/** `unread`: of the open ones, those that are mine or nobody's. */
export type InboxCounts = Record<InboxView | "unread", number>;

/** `next`: the cursor of what follows, null at the end. `readAt`: by the server's clock, in ms. */
export type InboxPage = { rows: InboxRow[]; next: string | null; counts: InboxCounts; readAt: number };

export function parseView(text: string | null): InboxView {
  return INBOX_VIEWS.find((view) => view === text) ?? "open";
}

export function isInView(row: InboxRow, view: InboxView, agentId: string): boolean {
  switch (view) {
    case "open":
      return row.status === "open";
    case "mine":
      return row.status === "open" && row.assigneeId === agentId;
    case "unassigned":
      return row.status === "open" && row.assigneeId === null;
    case "closed":
      return row.status === "closed";
    default:
      view satisfies never;
      return false;
  }
}

export function cursorOf({ updatedAt, id }: Pick<InboxRow, "updatedAt" | "id">): string {
  return `${updatedAt}.${id}`;
}

/** Null for what is no cursor. */
export function parseCursor(text: string | null): { updatedAt: number; id: number } | null {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? "");
  return match ? { updatedAt: Number(match[1]), id: Number(match[2]) } : null;
}

/**
 * The list after some conversations changed. `asked`: those that were read anew; one that is not among `changed` is gone.
 * What belongs below the end of a list that is not complete is left to the next page.
 */
export function withChanges(
  list: { rows: InboxRow[]; next: string | null },
  change: { asked: string[]; changed: InboxRow[]; view: InboxView; agentId: string },
): InboxRow[] {
  const asked = new Set(change.asked);
  const kept = list.rows.filter((row) => !asked.has(row.sessionId));
  const end = parseCursor(list.next);
  const fitting = change.changed.filter(
    (row) => isInView(row, change.view, change.agentId) && (end === null || compareRows(row, end) <= 0),
  );
  return [...kept, ...fitting].sort(compareRows);
}

/** Newest activity first. */
function compareRows(one: Pick<InboxRow, "updatedAt" | "id">, other: Pick<InboxRow, "updatedAt" | "id">): number {
  return other.updatedAt - one.updatedAt || other.id - one.id;
}
