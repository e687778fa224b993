import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** So many rows are looked at for one that has stayed. */
const CANDIDATES = 20;

type Placed = Pick<InboxRow, "sessionId" | "updatedAt">;

/** Where a list that was scrolled to `top` has to be, so that its rows in sight stay in their places. */
export function scrollAfter(before: Placed[], after: Placed[], { top, rowPx }: { top: number; rowPx: number }): number {
  if (top <= 0 || before === after) return top;
  const first = Math.floor(top / rowPx);
  const places = new Map(after.map((row, at) => [row.sessionId, { at, updatedAt: row.updatedAt }]));
  for (let at = first; at < Math.min(first + CANDIDATES, before.length); at++) {
    const row = before[at];
    const place = row && places.get(row.sessionId);
    // One that has something new has gone to the top, which is not where its reader wants to go.
    if (place && place.updatedAt === row.updatedAt) return Math.max(0, top + (place.at - at) * rowPx);
  }
  return top;
}
