import { type RefObject, useLayoutEffect, useRef } from "react";
import { isAtEnd, toEnd, useFollowedEnd } from "#app/support/thread/use-followed-end.ts";

/**
 * Controls where a thread is scrolled to. It opens at the `target` message, else at the first unread one, else at its
 * end. Then it follows its end, unless the reader has scrolled up. Messages from this side always scroll into view.
 */
export function useThreadScroll(
  log: RefObject<HTMLDivElement>,
  {
    count,
    isNew,
    sending,
    target,
    unreadFrom,
  }: {
    count: number;
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
  const before = useRef({ count: 0, sending: 0, target: null as number | null });

  useLayoutEffect(() => {
    const element = log.current;
    const was = before.current;
    before.current = { count, sending, target };
    if (!element || count === 0) return;
    if (target !== null && (target !== was.target || was.count === 0)) {
      const found = element.querySelector<HTMLElement>(`[data-seq="${target}"]`);
      if (found) {
        following.current = false;
        targeted.current = true;
        found.scrollIntoView({ block: "center" });
        found.focus({ preventScroll: true });
        return;
      }
      // It has not been loaded yet.
      before.current.target = null;
    }
    // A thread that fits cannot be scrolled, so its reader could never return to its end.
    if (isNew && isAtEnd(element)) following.current = true;
    if (was.count === 0 || sending > was.sending || following.current) toEnd(element);
    else if (count > was.count && isNew) missed();
  }, [log, following, missed, count, isNew, sending, target]);

  // Runs after the first messages, when the divider is known.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another divider is another position
  useLayoutEffect(() => {
    const element = log.current;
    const divider = element?.querySelector<HTMLElement>("[data-divider]");
    if (!element || !divider || targeted.current || divider.offsetTop >= element.scrollTop) return;
    // Before the scroll event, because the rest of a long thread arrives first.
    following.current = false;
    element.scrollTop = divider.offsetTop;
    setAway(true);
  }, [log, unreadFrom]);

  return { isAway, hasNew, catchUp };
}
