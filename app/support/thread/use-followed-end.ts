import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Nearer to the end than this counts as at the end. */
const AT_END_PX = 60;

/**
 * Whether a list's reader is at its end (`following`), which keeps them there when the list or an image in it changes its
 * size. What is added the caller scrolls to. `isAway`: there is a way to the end to offer; `hasNew`: with news there.
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
      // What came below since the list was put to its end is no scrolling of the reader's.
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
    // An image takes its room only when it has come. Its load event does not bubble.
    element.addEventListener("load", stay, true);
    const resized = new ResizeObserver(stay);
    resized.observe(element);
    return () => {
      element.removeEventListener("load", stay, true);
      resized.disconnect();
    };
  }, [log]);

  /** Something was added that is not scrolled to. */
  const missed = useCallback(() => {
    setAway(true);
    setNew(true);
  }, []);

  function catchUp(): void {
    if (!log.current) return;
    // At once: a smooth way there is cut short by the focus, and moves for who wants no motion.
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
