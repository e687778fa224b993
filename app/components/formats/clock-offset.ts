import { type PageTimes, pageTimes } from "./formats-provider.tsx";

/** A browser's clock may be this far off without a reader of "2 minutes ago" noticing. */
const IGNORED_MS = 60_000;

let known: number | undefined;

/** Returns by how many ms this browser's clock is behind the server's, 0 if by less than a minute or if unknown. */
export function clockOffset(): number {
  known ??= pageTimes ? offsetAt(pageTimes, responseStart()) : 0;
  return known;
}

/** `responseStart`: when the document began to arrive, in ms after the navigation. Scripts may run long after. */
export function offsetAt({ server, browser }: PageTimes, responseStart: number | null): number {
  if (server === undefined || responseStart === null) return 0;
  const offset = server - (browser + responseStart);
  // In whole minutes, so that the time on the way changes nothing.
  return Math.abs(offset) < IGNORED_MS ? 0 : Math.round(offset / IGNORED_MS) * IGNORED_MS;
}

/** Returns null for a document from the browser's cache, which the server rendered long before. */
function responseStart(): number | null {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return page && page.transferSize !== 0 ? page.responseStart : null;
}
