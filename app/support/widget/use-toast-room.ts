import { type RefObject, useEffect } from "react";

/** Tells the style sheet how far above the window's bottom edge the panel's last part begins, so that toasts stay above it. */
export function useToastRoom(panel: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const { style } = document.documentElement;
    const measure = () => {
      const room = element.querySelector("[data-toast-room]");
      if (!room) return;
      style.setProperty("--toast-room-end", `${Math.round(innerHeight - room.getBoundingClientRect().bottom)}px`);
    };
    const resized = new ResizeObserver(measure);
    const observe = () => {
      resized.disconnect();
      for (const part of [element, ...element.children]) resized.observe(part);
    };
    const changed = new MutationObserver(observe);
    changed.observe(element, { childList: true });
    observe();
    return () => {
      changed.disconnect();
      resized.disconnect();
      style.removeProperty("--toast-room-end");
    };
  }, [panel]);
}
