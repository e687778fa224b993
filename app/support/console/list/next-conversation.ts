import type { InboxRow, InboxView } from "#app/support/inbox/inbox-view.ts";

/**
 * Returns where to go when a conversation is closed: the next one in the list, else the one before it, else the empty
 * list. Null: it is not in the list of open ones, so the agent came to it by another way.
 */
export function addressAfter(
  sessionId: string,
  rows: Pick<InboxRow, "sessionId">[],
  view: InboxView,
  search: string,
): string | null {
  const at = rows.findIndex((row) => row.sessionId === sessionId);
  if (at < 0 || view === "closed" || view === "snoozed") return null;
  const next = rows[at + 1] ?? rows[at - 1];
  return (next ? `/admin/support/${next.sessionId}` : "/admin") + search;
}
