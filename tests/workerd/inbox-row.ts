import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** Returns a conversation as the console's list receives it. A higher id is newer. */
export function inboxRow(id: number, change: Partial<InboxRow> = {}): InboxRow {
  return {
    id,
    sessionId: `s${id}`,
    userName: "Ada",
    userEmail: null,
    status: "open",
    blocked: false,
    assigneeId: null,
    assigneeName: null,
    tags: [],
    lastMessage: "",
    updatedAt: id * 10,
    snoozedUntil: 0,
    respondBy: 0,
    unread: false,
    ...change,
  };
}
