import { useEffect, useRef, useState } from "react";

const SCROLL_AFTER_MS = 50;
/** Nearer to the end than this counts as at the end. */
const AT_END_PX = 60;

/** Follows the end of the list, unless the reader has scrolled up; what this side sends always shows. */
export function useScrollToEnd(log: React.RefObject<HTMLDivElement>, lastSeq: number, pendingCount: number) {
  const atEnd = useRef(true);
  const pendingBefore = useRef(pendingCount);
  const [isBehind, setBehind] = useState(false);

  useEffect(() => {
    const element = log.current;
    let topBefore = 0;
    const onScroll = () => {
      if (!element) return;
      const { scrollTop } = element;
      const isNear = element.scrollHeight - scrollTop - element.clientHeight < AT_END_PX;
      // The list may have grown since it was sent to its end: only upwards is the reader's doing.
      if (isNear || scrollTop < topBefore) atEnd.current = isNear;
      if (isNear) setBehind(false);
      topBefore = scrollTop;
    };
    element?.addEventListener("scroll", onScroll, { passive: true });
    return () => element?.removeEventListener("scroll", onScroll);
  }, [log]);

  useEffect(() => {
    const saidSomething = pendingCount > pendingBefore.current;
    pendingBefore.current = pendingCount;
    if (!atEnd.current && !saidSomething) {
      if (lastSeq > 0) setBehind(true);
      return;
    }
    atEnd.current = true;
    const timer = setTimeout(() => log.current?.scrollTo({ top: log.current.scrollHeight }), SCROLL_AFTER_MS);
    return () => clearTimeout(timer);
  }, [log, lastSeq, pendingCount]);

  useEffect(() => {
    const element = log.current;
    if (!element) return;
    const stay = () => atEnd.current && element.scrollTo({ top: element.scrollHeight });
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
    // At once: a smooth way there is cut short by the focus, and moves for who wants no motion.
    log.current?.scrollTo({ top: log.current.scrollHeight });
    log.current?.focus({ preventScroll: true });
  }
  return { isBehind, catchUp };
}
