import { useCallback, useRef, useState } from "react";
import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** Where the keyboard is in the list. The row takes the focus when `focus` changes. */
export type Pointed = { sessionId: string | undefined; focus: number };

/**
 * The keyboard's place is a conversation, not a number: the list may be put in another order at any moment. When that
 * conversation leaves the list, the place is where it was. `open`: the place while the keyboard has not been used.
 */
export function usePointed(rows: InboxRow[], open: string | undefined) {
  const [pointed, setPointed] = useState<Pointed>({ sessionId: undefined, focus: 0 });
  const was = useRef(-1);
  const place = pointed.sessionId ?? open;
  const at = place === undefined ? -1 : rows.findIndex(({ sessionId }) => sessionId === place);
  if (at >= 0) was.current = at;
  const isGone = at < 0 && was.current >= 0;

  const onPoint = useCallback((sessionId: string) => setPointed(({ focus }) => ({ sessionId, focus })), []);

  /** Ends of the list are where it stops. */
  function pointTo(to: number): void {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (row) setPointed(({ focus }) => ({ sessionId: row.sessionId, focus: focus + 1 }));
  }

  /** The row after this one; where this one has left the list, that is the one in its place. */
  const next = isGone ? was.current : at + 1;
  const previous = isGone ? was.current - 1 : at - 1;
  return { pointed, pointTo, next, previous, onPoint };
}
