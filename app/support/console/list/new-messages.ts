import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** Messages that an open console has announced to its agent, by conversation. Server times in ms. */
export type Announced = { since: number; until: Map<string, number> };

/** `since`: when the page was loaded; anything older counts as announced. */
export function nothingAnnounced(since: number): Announced {
  return { since, until: new Map() };
}

/** Returns the changed conversations with something new and unread for this agent, and records them as announced. */
export function takeNewMessages(announced: Announced, rows: InboxRow[], agentId: string): InboxRow[] {
  return rows.filter((row) => {
    const isNew = row.updatedAt > (announced.until.get(row.sessionId) ?? announced.since);
    const isForAgent = row.status === "open" && (row.assigneeId === null || row.assigneeId === agentId);
    if (!row.unread || !isNew || !isForAgent) return false;
    announced.until.set(row.sessionId, row.updatedAt);
    return true;
  });
}
