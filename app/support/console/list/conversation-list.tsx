import { useVirtualizer } from "@tanstack/react-virtual";
import Inbox from "lucide-react/icons/inbox";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import type { MoreState } from "#app/support/inbox/inbox-state.ts";
import type { InboxRow, InboxView } from "#app/support/inbox/inbox-view.ts";
import { ConversationRow, ROW_PX } from "./conversation-row.tsx";
import type { ListCursor } from "./use-list-cursor.ts";
import { useCursorFocus, useStableScroll } from "./use-list-scroll.ts";

/** Rows rendered beyond the visible ones, and the distance from the end at which the next page is loaded. */
const OVERSCAN_ROWS = 10;
const SERVER_ROWS = 30;

const EMPTY_TEXTS: Record<InboxView, { title: string; text: string }> = {
  open: { title: "No open conversations", text: "New conversations appear here as soon as a visitor starts one." },
  mine: { title: "Nothing assigned to you", text: "Press “a” to take a conversation, or reply to it." },
  unassigned: { title: "All assigned", text: "New conversations wait here until someone takes them." },
  closed: { title: "No closed conversations", text: "Closed conversations stay here, and you can reopen them." },
  snoozed: {
    title: "Nothing snoozed",
    text: "Press “s” to hide a conversation until a time, or until the visitor writes.",
  },
};

/** Renders the visible rows only. The server renders the first ones plainly, because its pages have no inline styles. */
export function ConversationList({
  rows,
  view,
  selected,
  search,
  cursor,
  onFocusRow,
  more,
  onMore,
}: {
  rows: InboxRow[];
  view: InboxView;
  selected: string | undefined;
  /** Query string of the page, kept in links so that the view stays. */
  search: string;
  cursor: ListCursor;
  onFocusRow: (sessionId: string) => void;
  more: MoreState;
  /** Loads the next page. */
  onMore: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => rows[at]?.sessionId ?? at,
    overscan: OVERSCAN_ROWS,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => {
    if (last >= rows.length - OVERSCAN_ROWS && more === "idle") onMore();
  }, [last, rows.length, more, onMore]);
  useStableScroll(list, rows, { selected, rowPx: ROW_PX });
  useCursorFocus(list, cursor, (sessionId) => {
    const at = rows.findIndex((row) => row.sessionId === sessionId);
    if (at >= 0) virtual.scrollToIndex(at);
  });

  if (rows.length === 0) {
    return (
      <EmptyState icon={Inbox} title={EMPTY_TEXTS[view].title}>
        {EMPTY_TEXTS[view].text}
      </EmptyState>
    );
  }
  const shown = mounted
    ? items.map(({ index, start }) => ({ index, style: { position: "absolute", width: "100%", top: start } as const }))
    : rows.slice(0, SERVER_ROWS).map((_, index) => ({ index, style: undefined }));
  return (
    <div ref={list} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul
        aria-label="Conversations"
        className="relative"
        style={mounted ? { height: virtual.getTotalSize() } : undefined}
      >
        {shown.map(({ index, style }) => {
          const row = rows[index];
          return (
            row && (
              <li key={row.sessionId} style={style} aria-setsize={rows.length} aria-posinset={index + 1}>
                <ConversationRow
                  row={row}
                  isSelected={row.sessionId === selected}
                  search={search}
                  onFocusRow={onFocusRow}
                />
              </li>
            )
          );
        })}
      </ul>
      {more === "loading" && (
        <p role="status" className="px-4 py-3 text-xs text-muted">
          Loading more…
        </p>
      )}
      {more === "failed" && (
        <div role="alert" className="flex items-center justify-between gap-3 px-4 py-3 text-sm">
          Couldn't load more.
          <Button variant="secondary" onClick={onMore}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}
