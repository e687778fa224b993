import { Link } from "@remix-run/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import Inbox from "lucide-react/icons/inbox";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import type { InboxRow, InboxView } from "#app/support/inbox/inbox-view.ts";
import { scrollAfter } from "./list-scroll.ts";
import type { MoreState } from "./use-inbox.ts";
import type { Pointed } from "./use-pointed.ts";

const ROW_PX = 80;
const AHEAD = 10;

const EMPTY_TEXTS: Record<InboxView, { title: string; text: string }> = {
  open: { title: "Nothing is open", text: "A conversation appears here as soon as a visitor starts one." },
  mine: { title: "Nothing is assigned to you", text: "Take a conversation with “a”, or by answering it." },
  unassigned: { title: "Everything has somebody", text: "New conversations are here until one of you takes them." },
  closed: { title: "Nothing is closed yet", text: "Conversations that were closed stay here and can be opened again." },
};

/**
 * Only the rows in sight are in the page. The server sends the first ones as they are, because what it renders may have
 * no style of its own.
 */
export function ConversationList({
  rows,
  view,
  selected,
  search,
  pointed,
  onPoint,
  more,
  onMore,
}: {
  rows: InboxRow[];
  view: InboxView;
  selected: string | undefined;
  /** Of the address, so that the view stays as it is. */
  search: string;
  pointed: Pointed;
  onPoint: (sessionId: string) => void;
  more: MoreState;
  /** The next page, when the end is near. */
  onMore: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => rows[at]?.sessionId ?? at,
    overscan: AHEAD,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => {
    if (last >= rows.length - AHEAD && more === "idle") onMore();
  }, [last, rows.length, more, onMore]);
  useKeptScroll(box, rows, selected);
  usePointer(box, pointed, (sessionId) => {
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
    : rows.slice(0, 30).map((_, index) => ({ index, style: undefined }));
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
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
                <Row row={row} isSelected={row.sessionId === selected} search={search} onPoint={onPoint} />
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
          More could not be loaded.
          <Button variant="secondary" onClick={onMore}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

function Row({
  row,
  isSelected,
  search,
  onPoint,
}: {
  row: InboxRow;
  isSelected: boolean;
  search: string;
  onPoint: (sessionId: string) => void;
}) {
  return (
    <Link
      to={{ pathname: `/admin/support/${row.sessionId}`, search }}
      preventScrollReset
      data-session={row.sessionId}
      aria-current={isSelected ? "page" : undefined}
      onFocus={() => onPoint(row.sessionId)}
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
      </span>
      <span className="truncate text-xs text-muted" title={row.tags.join(", ") || undefined}>
        {row.assigneeName ?? "Unassigned"}
        {row.tags.length > 0 && ` · ${row.tags.join(", ")}`}
      </span>
    </Link>
  );
}

/**
 * The rows in sight stay where they are when the list changes above them, and when an open conversation had taken the
 * list's place on a phone. At its top the list stays at its top: what is new is to be seen.
 */
function useKeptScroll(box: RefObject<HTMLDivElement>, rows: InboxRow[], selected: string | undefined): void {
  const before = useRef(rows);
  const top = useRef(0);
  useEffect(() => {
    const element = box.current;
    const keep = () => {
      // A list that is not shown has no height, and is at 0 by itself.
      if (element && element.clientHeight > 0) top.current = element.scrollTop;
    };
    element?.addEventListener("scroll", keep, { passive: true });
    return () => element?.removeEventListener("scroll", keep);
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a conversation that is closed shows the list again
  useLayoutEffect(() => {
    const element = box.current;
    top.current = scrollAfter(before.current, rows, { top: top.current, rowPx: ROW_PX });
    before.current = rows;
    if (!element || element.clientHeight === 0) return;
    if (element.scrollTop !== top.current) element.scrollTop = top.current;
    // A browser that puts the place back by itself says nothing of it, and the virtual list read 0 while it was hidden.
    element.dispatchEvent(new Event("scroll"));
  }, [box, rows, selected]);
}

/** The row may not be in the page yet when the keyboard goes to it. */
function usePointer(box: RefObject<HTMLDivElement>, pointed: Pointed, scrollTo: (sessionId: string) => void): void {
  const done = useRef(pointed.focus);
  useEffect(() => {
    if (done.current === pointed.focus || pointed.sessionId === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(pointed.sessionId)}"]`);
    if (link) {
      done.current = pointed.focus;
      link.focus();
    } else scrollTo(pointed.sessionId);
  });
}
