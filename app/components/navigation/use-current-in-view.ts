import { type RefObject, useEffect, useRef } from "react";

/** Scrolls a horizontal strip so that its current entry is in the middle. Runs again when `current` changes. */
export function useCurrentInView<T extends HTMLElement>(current: unknown): RefObject<T> {
  const box = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is current
  useEffect(() => {
    const entry = box.current?.querySelector<HTMLElement>("[aria-current]");
    if (!box.current || !entry) return;
    const from = entry.getBoundingClientRect().left - box.current.getBoundingClientRect().left;
    box.current.scrollLeft += from - (box.current.clientWidth - entry.offsetWidth) / 2;
  }, [current]);
  return box;
}
