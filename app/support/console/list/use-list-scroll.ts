import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { InboxRow } from "#app/support/inbox/inbox-view.ts";
import { scrollAfter } from "./list-scroll.ts";
import type { ListCursor } from "./use-list-cursor.ts";

/**
 * Keeps the visible rows in place when the list changes above them, and after an open conversation covered the list on a
 * phone. A list at its top stays there, so that new rows show.
 */
export function useStableScroll(
  list: RefObject<HTMLDivElement>,
  rows: InboxRow[],
  { selected, rowPx }: { selected: string | undefined; rowPx: number },
): void {
  const before = useRef(rows);
  const top = useRef(0);
  useEffect(() => {
    const element = list.current;
    const remember = () => {
      // A hidden list has no height and reports 0.
      if (element && element.clientHeight > 0) top.current = element.scrollTop;
    };
    element?.addEventListener("scroll", remember, { passive: true });
    return () => element?.removeEventListener("scroll", remember);
  }, [list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closing a conversation shows the list again
  useLayoutEffect(() => {
    const element = list.current;
    top.current = scrollAfter(before.current, rows, { top: top.current, rowPx });
    before.current = rows;
    if (!element || element.clientHeight === 0) return;
    if (element.scrollTop !== top.current) element.scrollTop = top.current;
    // A browser that restores the position itself fires no event, and the virtual list read 0 while it was hidden.
    element.dispatchEvent(new Event("scroll"));
  }, [list, rows, selected]);
}

/** Focuses the cursor's row, and scrolls to it first if it is not rendered. */
export function useCursorFocus(
  list: RefObject<HTMLDivElement>,
  cursor: ListCursor,
  scrollTo: (sessionId: string) => void,
): void {
  const done = useRef(cursor.focusCount);
  useEffect(() => {
    if (done.current === cursor.focusCount || cursor.sessionId === undefined) return;
    const link = list.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(cursor.sessionId)}"]`);
    if (link) {
      done.current = cursor.focusCount;
      link.focus();
    } else scrollTo(cursor.sessionId);
  });
}
