import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { InboxRow } from "#app/support/inbox/inbox-view.ts";
import { ReplyDue } from "./reply-due.tsx";

/** Height of a row (`h-20`), which the virtual list needs before rows are rendered. */
export const ROW_PX = 80;

export function ConversationRow({
  row,
  isSelected,
  search,
  onFocusRow,
}: {
  row: InboxRow;
  isSelected: boolean;
  search: string;
  onFocusRow: (sessionId: string) => void;
}) {
  return (
    <Link
      to={{ pathname: `/admin/support/${row.sessionId}`, search }}
      preventScrollReset
      data-session={row.sessionId}
      aria-current={isSelected ? "page" : undefined}
      onFocus={() => onFocusRow(row.sessionId)}
      className="flex h-20 flex-col justify-center gap-0.5 border-b border-line px-4 text-sm -outline-offset-2 transition-colors hover:bg-sunken aria-[current=page]:bg-sunken"
    >
      <span className="flex items-center gap-2">
        {row.unread && (
          <span className="size-2 shrink-0 rounded-full bg-accent">
            <span className="sr-only">Unread</span>
          </span>
        )}
        <span className={`truncate ${row.unread ? "font-semibold" : "font-medium"}`} title={row.userName}>
          {row.userName}
        </span>
        <span className="ml-auto shrink-0 text-xs text-muted">
          <RelativeDate at={row.updatedAt} />
        </span>
      </span>
      <span className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-muted" title={row.lastMessage}>
          {row.lastMessage}
        </span>
        {row.blocked ? <Badge tone="bad">Blocked</Badge> : row.status === "closed" && <Badge>Closed</Badge>}
        {isWoken(row) && <Badge tone="warn">Woken</Badge>}
      </span>
      <span className="flex items-center gap-2 text-xs text-muted">
        <span className="min-w-0 flex-1 truncate" title={row.tags.join(", ") || undefined}>
          {row.assigneeName ?? "Unassigned"}
          {row.tags.length > 0 && ` · ${row.tags.join(", ")}`}
        </span>
        {row.respondBy > 0 && <ReplyDue at={row.respondBy} />}
      </span>
    </Link>
  );
}

/** Whether a snooze has ended by itself, and nobody has answered since. */
function isWoken({ status, snoozedUntil, updatedAt }: InboxRow): boolean {
  return status === "open" && snoozedUntil > 0 && snoozedUntil <= updatedAt;
}
