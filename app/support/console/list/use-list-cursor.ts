import { useCallback, useEffect, useRef, useState } from "react";
import type { InboxRow } from "#app/support/inbox/inbox-view.ts";

/** The keyboard's position in the list. Its row takes the focus when `focusCount` changes. */
export type ListCursor = { sessionId: string | undefined; focusCount: number };

/**
 * Keeps the keyboard's position as a conversation, not as an index, because the list may be reordered at any moment.
 * When the conversation leaves the list, the position stays where it was. `openId`: the position follows it.
 */
export function useListCursor(rows: InboxRow[], openId: string | undefined) {
  const [cursor, setCursor] = useState<ListCursor>({ sessionId: undefined, focusCount: 0 });
  const lastIndex = useRef(-1);
  useEffect(() => setCursor(({ focusCount }) => ({ sessionId: openId, focusCount })), [openId]);
  const current = cursor.sessionId ?? openId;
  const index = current === undefined ? -1 : rows.findIndex(({ sessionId }) => sessionId === current);
  if (index >= 0) lastIndex.current = index;
  const hasLeft = index < 0 && lastIndex.current >= 0;

  /** Follows the focus when it moves by other means. */
  const onFocusRow = useCallback((sessionId: string) => setCursor(({ focusCount }) => ({ sessionId, focusCount })), []);

  /** Moves to an index and stops at both ends of the list. */
  function moveTo(to: number): void {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (row) setCursor(({ focusCount }) => ({ sessionId: row.sessionId, focusCount: focusCount + 1 }));
  }

  // When the row has left the list, the next one has taken its place.
  const next = hasLeft ? lastIndex.current : index + 1;
  const previous = hasLeft ? lastIndex.current - 1 : index - 1;
  return { cursor, moveTo, next, previous, onFocusRow };
}
