import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** How many rows are tried as the anchor. */
const CANDIDATES = 20;

type Placed = Pick<InboxRow, "sessionId" | "updatedAt">;

/** Returns the scroll position, in px, that keeps the visible rows in place after the list changed. */
export function scrollAfter(before: Placed[], after: Placed[], { top, rowPx }: { top: number; rowPx: number }): number {
  if (top <= 0 || before === after) return top;
  const first = Math.floor(top / rowPx);
  const places = new Map(after.map((row, at) => [row.sessionId, { at, updatedAt: row.updatedAt }]));
  for (let at = first; at < Math.min(first + CANDIDATES, before.length); at++) {
    const row = before[at];
    const place = row && places.get(row.sessionId);
    // An updated row moved to the top of the list; following it would take the reader along.
    if (place && place.updatedAt === row.updatedAt) return Math.max(0, top + (place.at - at) * rowPx);
  }
  return top;
}
