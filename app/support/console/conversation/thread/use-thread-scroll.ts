import { type RefObject, useLayoutEffect, useRef } from "react";
import { isAtEnd, toEnd, useFollowedEnd } from "#app/support/thread/use-followed-end.ts";
import { type Entry, indexOfMessage } from "./thread-entries.ts";
import type { ThreadRows } from "./use-thread-rows.ts";

/**
 * Controls where a thread is scrolled to. It opens at the `target` message, else at the first unread one, else at its
 * end. Then it follows its end, unless the reader has scrolled up. Messages from this side always scroll into view.
 */
export function useThreadScroll(
  log: RefObject<HTMLDivElement>,
  rows: ThreadRows,
  {
    entries,
    added,
    isNew,
    sending,
    target,
    unreadFrom,
  }: {
    entries: Entry[];
    /** Grows with each entry at the end, and not with earlier ones. 0 until there is one. */
    added: number;
    /** The last message arrived after the thread was opened. */
    isNew: boolean;
    sending: number;
    target: number | null;
    unreadFrom: number | null;
  },
) {
  const { following, isAway, setAway, hasNew, missed, catchUp } = useFollowedEnd(log);
  // The target takes precedence over the first unread message.
  const targeted = useRef(target !== null);
  const before = useRef({ added: 0, sending: 0, target: null as number | null });
  const toFocus = useRef<number | null>(null);

  useLayoutEffect(() => {
    const element = log.current;
    const was = before.current;
    before.current = { added, sending, target };
    if (!element || added === 0) return;
    if (target !== null && (target !== was.target || was.added === 0)) {
      const index = indexOfMessage(entries, target);
      if (index >= 0) {
        following.current = false;
        targeted.current = true;
        toFocus.current = target;
        rows.scrollToIndex(index, { align: "center" });
        return;
      }
      // It has not been loaded yet.
      before.current.target = null;
    }
    // A thread that fits cannot be scrolled, so its reader could never return to its end.
    if (isNew && isAtEnd(element)) following.current = true;
    if (was.added === 0 || sending > was.sending || following.current) toEnd(element);
    else if (added > was.added && isNew) missed();
  }, [log, rows, following, missed, entries, added, isNew, sending, target]);

  // Its row may be rendered only after scrolling to it.
  useLayoutEffect(() => {
    const found = toFocus.current && log.current?.querySelector<HTMLElement>(`[data-seq="${toFocus.current}"]`);
    if (!found) return;
    toFocus.current = null;
    found.focus({ preventScroll: true });
  });

  // Rows are estimated until they are measured.
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows each change of the height
  useLayoutEffect(() => {
    if (following.current && log.current) toEnd(log.current);
  }, [log, following, height]);

  // Runs after the first messages, when the divider is known.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another divider is another position
  useLayoutEffect(() => {
    const index = unreadFrom === null ? -1 : indexOfMessage(entries, unreadFrom);
    const [offset] = (index >= 0 && rows.getOffsetForIndex(index, "start")) || [];
    if (!log.current || offset === undefined || targeted.current || !following.current) return;
    if (offset >= log.current.scrollTop) return;
    // Before the scroll event, because the rest of a long thread arrives first.
    following.current = false;
    rows.scrollToIndex(index, { align: "start" });
    setAway(true);
  }, [log, unreadFrom]);

  return { isAway, hasNew, catchUp };
}
