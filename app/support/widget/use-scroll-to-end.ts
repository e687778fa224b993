import { type RefObject, useEffect, useRef } from "react";
import { toEnd, useFollowedEnd } from "#app/support/thread/use-followed-end.ts";

const SCROLL_AFTER_MS = 50;

/** Scrolls to added messages unless the reader has scrolled up. This side's own messages always scroll into view. */
export function useScrollToEnd(log: RefObject<HTMLDivElement>, lastSeq: number, pendingCount: number) {
  const { following, hasNew, missed, catchUp } = useFollowedEnd(log);
  const before = useRef({ lastSeq, pendingCount });

  useEffect(() => {
    const was = before.current;
    before.current = { lastSeq, pendingCount };
    if (pendingCount > was.pendingCount) following.current = true;
    if (!following.current) {
      if (lastSeq > was.lastSeq) missed();
      return;
    }
    const timer = setTimeout(() => log.current && toEnd(log.current), SCROLL_AFTER_MS);
    return () => clearTimeout(timer);
  }, [log, following, missed, lastSeq, pendingCount]);

  return { hasNew, catchUp };
}
