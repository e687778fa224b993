import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this counts as at the end. */
const AT_END_PX = 60;

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
  const following = useRef(true);
  /** What was asked for goes before the unread. */
  const targeted = useRef(target !== null);
  const before = useRef({ count: 0, sending: 0, target: null as number | null });
  const [isAway, setAway] = useState(false);
  const [hasNew, setNew] = useState(false);

  useEffect(() => {
    const element = log.current;
    let top = 0;
    const onScroll = () => {
      if (!element) return;
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PX;
      // What came below since the thread was put to its end is no scrolling of the reader's.
      if (isAtEnd) following.current = true;
      else if (element.scrollTop < top) following.current = false;
      top = element.scrollTop;
      setAway(!following.current);
      if (following.current) setNew(false);
    };
    element?.addEventListener("scroll", onScroll, { passive: true });
    return () => element?.removeEventListener("scroll", onScroll);
  }, [log]);

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
    if (was.count === 0) {
      element.scrollTop = element.scrollHeight;
      return;
    }
    if (sending > was.sending || following.current) element.scrollTop = element.scrollHeight;
    else if (count > was.count && isNew) setNew(true);
  }, [log, count, isNew, sending, target]);

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

  useEffect(() => {
    const element = log.current;
    if (!element) return;
    const stay = () => following.current && element.scrollTo({ top: element.scrollHeight });
    // An image takes its room only when it has come. Its load event does not bubble.
    element.addEventListener("load", stay, true);
    const resized = new ResizeObserver(stay);
    resized.observe(element);
    return () => {
      element.removeEventListener("load", stay, true);
      resized.disconnect();
    };
  }, [log]);

  function catchUp(): void {
    log.current?.scrollTo({ top: log.current.scrollHeight });
    log.current?.focus();
  }
  return { isAway, hasNew, catchUp };
}
