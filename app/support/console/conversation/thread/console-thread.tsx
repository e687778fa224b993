import { useLocation } from "@remix-run/react";
import { type RefObject, useEffect, useLayoutEffect, useMemo } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { firstSeq, lastSeq } from "#app/support/client/conversation.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";
import type { RoomState } from "#app/support/client/room-state.ts";
import type { Note } from "#app/support/protocol/console-frames.ts";
import { messageOfHash } from "#app/support/protocol/link-hash.ts";
import { DayDivider } from "#app/support/thread/day-divider.tsx";
import { startsDay } from "#app/support/thread/day-label.ts";
import { goesOn } from "#app/support/thread/message-groups.ts";
import { ThreadFrame } from "#app/support/thread/thread-frame.tsx";
import { threadEntries } from "./thread-entries.ts";
import { MessageEntry, NoteEntry } from "./thread-entry.tsx";
import { useUnreadDivider } from "./unread-divider.ts";
import { type EarlierState, useEarlierMessages } from "./use-earlier-messages.ts";
import { EARLIER_PX, useThreadRows } from "./use-thread-rows.ts";
import { useThreadScroll } from "./use-thread-scroll.ts";

/** Earlier messages are loaded when the reader comes this close to the first one. */
const EARLIER_WITHIN_PX = 1000;

/** The messages with the team's notes between them, by time. The URL's hash may name a message to open at. */
export function ConsoleThread({
  log,
  room,
  state,
  notes,
  sessionId,
  knownSeq,
}: {
  /** The element with the messages. */
  log: RefObject<HTMLDivElement>;
  room: RoomClient;
  state: RoomState;
  notes: Note[];
  sessionId: string;
  /** The last message when the page was loaded; later ones are new. */
  knownSeq: number;
}) {
  const { messages, pending, readSeq } = state;
  const first = firstSeq(state);
  const size = lastSeq(state) + notes.length;
  const target = messageOfHash(useLocation().hash);
  const unread = useUnreadDivider(state);
  const earlier = useEarlierMessages(room, sessionId, { first, wanted: target ?? unread.needed });
  const entries = useMemo(() => threadEntries(messages, notes), [messages, notes]);
  const { rows, setFocused } = useThreadRows(log, entries, earlier.state !== "none");
  // Before the scroll position, which may move the focus on to a message.
  useLayoutEffect(() => takeFreeFocus(log.current), [log]);
  const scroll = useThreadScroll(log, rows, {
    entries,
    added: messages.length === 0 ? 0 : size,
    isNew: lastSeq(state) > knownSeq,
    sending: pending.length,
    target,
    unreadFrom: unread.divider,
  });

  useEffect(() => {
    const isNear = log.current !== null && log.current.scrollTop < EARLIER_WITHIN_PX;
    if (isNear && earlier.state === "idle" && messages.length > 0) earlier.load();
  });
  useEffect(() => {
    // Rows that scrolling brings into the page are not news.
    log.current?.setAttribute("aria-live", scroll.isAway ? "off" : "polite");
  }, [log, scroll.isAway]);

  const lastText = messages.findLast(({ file }) => !file);
  const lastOwn = messages.findLast((message) => message.sender_type === "admin");
  return (
    <ThreadFrame
      log={log}
      room={room}
      pending={pending}
      endLabel={scroll.isAway ? (scroll.hasNew ? "New messages" : "Jump to latest") : null}
      onScrollToEnd={scroll.catchUp}
    >
      <div className="relative shrink-0" style={{ height: rows.getTotalSize() }}>
        <Earlier state={earlier.state} onRetry={earlier.load} />
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const entry = entries[index];
          if (!entry) return null;
          const { at, message, note } = entry;
          return (
            <article
              key={key}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={size}
              aria-posinset={size - entries.length + index + 1}
              onFocus={() => setFocused(entry.key)}
              onBlur={() => setFocused(null)}
              className="absolute inset-x-0 flex flex-col gap-3"
              style={{ top: start - rows.options.scrollMargin }}
            >
              {startsDay(at, entries[index - 1]?.at ?? null) && <DayDivider at={at} />}
              {note ? (
                <NoteEntry note={note} />
              ) : (
                <MessageEntry
                  message={message}
                  sessionId={sessionId}
                  isTarget={message.seq === target}
                  isFirstUnread={message.seq === unread.divider}
                  delivery={
                    message !== lastOwn || pending.length > 0 ? "" : message.seq <= readSeq.user ? "Seen" : "Sent"
                  }
                  isLastText={message === lastText}
                  continues={message.seq !== unread.divider && goesOn(message, entries[index - 1]?.message)}
                />
              )}
            </article>
          );
        })}
      </div>
    </ThreadFrame>
  );
}

/** Says above the first row what becomes of the messages before it. */
function Earlier({ state, onRetry }: { state: EarlierState; onRetry: () => void }) {
  if (state === "none") return null;
  return (
    <div
      role={state === "failed" ? "alert" : undefined}
      style={{ height: EARLIER_PX }}
      className="flex items-center justify-center gap-3 text-sm text-muted"
    >
      {state === "failed" ? (
        <>
          Couldn't load earlier messages.
          <Button variant="secondary" onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : (
        "Loading earlier messages…"
      )}
    </div>
  );
}

/** Focuses the messages, unless the agent has moved the focus on from the link that opened the conversation. */
function takeFreeFocus(log: HTMLElement | null): void {
  const focused = document.activeElement;
  const isOpener = focused instanceof HTMLAnchorElement && focused.pathname === location.pathname;
  if (isOpener || focused === null || focused === document.body) log?.focus({ preventScroll: true });
}
