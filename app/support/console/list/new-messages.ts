import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** What an open console has told its agent of, so that news is told once. Times by the server's clock. */
export type Announced = { since: number; of: Map<string, number> };

/** `since`: what is older was there when the page was opened. */
export function nothingAnnounced(since: number): Announced {
  return { since, of: new Map() };
}

/** Of the conversations that changed, those that have something unread for this agent that was not there before. */
export function takeNewMessages(heard: Announced, rows: InboxRow[], agentId: string): InboxRow[] {
  return rows.filter((row) => {
    const isNew = row.updatedAt > (heard.of.get(row.sessionId) ?? heard.since);
    const isForMe = row.status === "open" && (row.assigneeId === null || row.assigneeId === agentId);
    if (!row.unread || !isNew || !isForMe) return false;
    heard.of.set(row.sessionId, row.updatedAt);
    return true;
  });
}
