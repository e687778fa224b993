import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** The list counts as scrolled to its end within this distance. */
const AT_END_PX = 60;

/**
 * Tracks whether the reader is at the end of a list (`following`), and keeps them there when the list or an image in it
 * changes its size. The caller scrolls to added items. `isAway`: the reader scrolled up. `hasNew`: items were added below.
 */
export function useFollowedEnd(log: RefObject<HTMLDivElement>) {
  const following = useRef(true);
  const [isAway, setAway] = useState(false);
  const [hasNew, setNew] = useState(false);

  useEffect(() => {
    const element = log.current;
    let top = 0;
    const onScroll = () => {
      if (!element) return;
      // Growing content fires scroll events too; only scrolling up is the reader's.
      if (isAtEnd(element)) following.current = true;
      else if (element.scrollTop < top) following.current = false;
      top = element.scrollTop;
      setAway(!following.current);
      if (following.current) setNew(false);
    };
    element?.addEventListener("scroll", onScroll, { passive: true });
    return () => element?.removeEventListener("scroll", onScroll);
  }, [log]);

  useEffect(() => {
    const element = log.current;
    if (!element) return;
    const stay = () => following.current && toEnd(element);
    // An image takes up space once it has loaded. Its load event does not bubble.
    element.addEventListener("load", stay, true);
    const resized = new ResizeObserver(stay);
    resized.observe(element);
    return () => {
      element.removeEventListener("load", stay, true);
      resized.disconnect();
    };
  }, [log]);

  /** Reports an added item that the list did not scroll to. */
  const missed = useCallback(() => {
    setAway(true);
    setNew(true);
  }, []);

  function catchUp(): void {
    if (!log.current) return;
    // Not smooth: the focus would cut the motion short, and some readers disable motion.
    toEnd(log.current);
    log.current.focus({ preventScroll: true });
  }
  return { following, isAway, setAway, hasNew, missed, catchUp };
}

export function isAtEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < AT_END_PX;
}

export function toEnd(element: HTMLElement): void {
  element.scrollTop = element.scrollHeight;
}
