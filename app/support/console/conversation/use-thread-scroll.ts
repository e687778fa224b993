import { type RefObject, useLayoutEffect, useRef } from "react";
import { isAtEnd, toEnd, useFollowedEnd } from "#app/support/thread/use-followed-end.ts";

/**
 * Where a thread is scrolled to. It opens at what was asked for (`target`), else where the unread begins, else at its
 * end; then it follows its end, unless the reader has scrolled up. What this side sends always shows.
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
    /** The last of them was said after the thread was opened. */
    isNew: boolean;
    sending: number;
    target: number | null;
    unreadFrom: number | null;
  },
) {
  const { following, isAway, setAway, hasNew, missed, catchUp } = useFollowedEnd(log);
  /** What was asked for goes before the unread. */
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
      // It has not come yet.
      before.current.target = null;
    }
    // A thread that fits into its box cannot be scrolled, so its reader could never come back to its end.
    if (isNew && isAtEnd(element)) following.current = true;
    if (was.count === 0 || sending > was.sending || following.current) toEnd(element);
    else if (count > was.count && isNew) missed();
  }, [log, following, missed, count, isNew, sending, target]);

  // Found out after the first messages were there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line is another place
  useLayoutEffect(() => {
    const element = log.current;
    const divider = element?.querySelector<HTMLElement>("[data-divider]");
    if (!element || !divider || targeted.current || divider.offsetTop >= element.scrollTop) return;
    // At once, and not with the scroll event: the rest of a long thread comes before it.
    following.current = false;
    element.scrollTop = divider.offsetTop;
    setAway(true);
  }, [log, unreadFrom]);

  return { isAway, hasNew, catchUp };
}
