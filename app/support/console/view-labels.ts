import type { InboxView } from "#app/support/inbox/inbox-view.ts";

export const VIEW_LABELS: Record<InboxView, string> = {
  open: "Open",
  mine: "Mine",
  unassigned: "Unassigned",
  closed: "Closed",
  snoozed: "Snoozed",
};
