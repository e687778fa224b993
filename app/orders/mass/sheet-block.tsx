// biome-ignore-all lint/a11y/useSemanticElements: a line is a card on phones, and tables keep their roles only as tables
// biome-ignore-all lint/a11y/useFocusableInteractive: the controls in the cells take focus, not the cells
import { type ReactNode, useEffect, useRef, useState } from "react";

/** Rows that are rendered or left out together. */
export const BLOCK_ROWS = 40;
/** How far from the window a block is rendered. */
const NEAR = "1200px 0px";

/** Renders its rows only near the window: thousands of rows would be as many controls for the browser to lay out. */
export function SheetBlock({ rows, isFirst, children }: { rows: number; isFirst: boolean; children: () => ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(isFirst);
  const [height, setHeight] = useState<number>();

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        // A row that is typed into stays.
        if (!entry.isIntersecting && element.contains(document.activeElement)) return;
        if (!entry.isIntersecting) setHeight(entry.boundingClientRect.height);
        setIsNear(entry.isIntersecting);
      },
      { rootMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // Set by script: the policy for styles allows no style attribute in the server's markup.
  useEffect(() => {
    if (!box.current) return;
    box.current.style.setProperty("--rows", String(rows));
    box.current.style.height = isNear || height === undefined ? "" : `${height}px`;
  }, [rows, isNear, height]);

  return (
    <div
      ref={box}
      role={isNear ? "rowgroup" : undefined}
      className={isNear ? "" : "h-[calc(var(--rows,40)*15rem)] md:h-[calc(var(--rows,40)*41px)]"}
    >
      {isNear && children()}
    </div>
  );
}
