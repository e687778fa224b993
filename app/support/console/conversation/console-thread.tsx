import { useLocation } from "@remix-run/react";
import StickyNote from "lucide-react/icons/sticky-note";
import { Fragment, memo, type RefObject, useLayoutEffect } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { lastSeq } from "#app/support/client/conversation.ts";
import type { RoomClient, RoomState } from "#app/support/client/room-client.ts";
import type { Note } from "#app/support/protocol/console-frames.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { messageOfHash } from "#app/support/protocol/link-hash.ts";
import { Bubble, Content } from "#app/support/thread/bubble.tsx";
import { CopyMessage } from "#app/support/thread/copy-message.tsx";
import { DayDivider } from "#app/support/thread/day-divider.tsx";
import { startsDay } from "#app/support/thread/day-label.ts";
import { MessageText } from "#app/support/thread/message-text.tsx";
import { ThreadFrame } from "#app/support/thread/thread-frame.tsx";
import { useUnreadDivider } from "./unread-divider.ts";
import { useThreadScroll } from "./use-thread-scroll.ts";

type Entry = { at: number; message: SupportMessage; note?: never } | { at: number; note: Note; message?: never };

/** The messages with the team's notes between them, by time. The URL's hash may name a message to open at. */
export function ConsoleThread({
  log,
  room,
  state,
  notes,
  knownSeq,
}: {
  /** The element with the messages. */
  log: RefObject<HTMLDivElement>;
  room: RoomClient;
  state: RoomState;
  notes: Note[];
  /** The last message when the page was loaded; later ones are new. */
  knownSeq: number;
}) {
  const { messages, pending, readSeq } = state;
  const target = messageOfHash(useLocation().hash);
  const unreadFrom = useUnreadDivider(state);
  // Before the scroll position, which may move the focus on to a message.
  useLayoutEffect(() => takeFreeFocus(log.current), [log]);
  const scroll = useThreadScroll(log, {
    count: messages.length === 0 ? 0 : messages.length + notes.length,
    isNew: lastSeq(state) > knownSeq,
    sending: pending.length,
    target,
    unreadFrom,
  });
  const lastText = messages.findLast(({ file }) => !file);
  const lastOwn = messages.findLast((message) => message.sender_type === "admin");
  const entries: Entry[] = [
    ...messages.map((message) => ({ at: message.created_at, message })),
    ...notes.map((note) => ({ at: note.created_at, note })),
  ];
  // Without notes the order stays: adopted messages may be older than those before them.
  if (notes.length > 0) entries.sort((one, other) => one.at - other.at);
  return (
    <ThreadFrame
      log={log}
      room={room}
      pending={pending}
      endLabel={scroll.isAway ? (scroll.hasNew ? "New messages" : "Jump to latest") : null}
      onScrollToEnd={scroll.catchUp}
    >
      {entries.map(({ at, message, note }, index) => (
        <Fragment key={note ? `note-${note.no}` : message.seq}>
          {startsDay(at, entries[index - 1]?.at ?? null) && <DayDivider at={at} />}
          {note ? (
            <NoteEntry note={note} />
          ) : (
            <MessageEntry
              message={message}
              sessionId={state.session?.session_id ?? ""}
              isTarget={message.seq === target}
              isFirstUnread={message.seq === unreadFrom}
              delivery={message !== lastOwn || pending.length > 0 ? "" : message.seq <= readSeq.user ? "Seen" : "Sent"}
              isLastText={message === lastText}
            />
          )}
        </Fragment>
      ))}
    </ThreadFrame>
  );
}

/** Focuses the messages, unless the agent has moved the focus on from the link that opened the conversation. */
function takeFreeFocus(log: HTMLElement | null): void {
  const focused = document.activeElement;
  const isOpener = focused instanceof HTMLAnchorElement && focused.pathname === location.pathname;
  if (isOpener || focused === null || focused === document.body) log?.focus({ preventScroll: true });
}

/** Memoized, because a long thread arrives one message at a time. */
const MessageEntry = memo(function MessageEntry({
  message,
  sessionId,
  isTarget,
  isFirstUnread,
  delivery,
  isLastText,
}: {
  message: SupportMessage;
  sessionId: string;
  isTarget: boolean;
  isFirstUnread: boolean;
  /** Delivery status, for the last message of this side only. */
  delivery: string;
  isLastText: boolean;
}) {
  const isOwn = message.sender_type === "admin";
  return (
    <div
      data-seq={message.seq}
      data-marked={isTarget || undefined}
      tabIndex={-1}
      className="-mx-2 -my-1 flex flex-col rounded-md px-2 py-1 data-marked:bg-accent/15 data-marked:outline-2 data-marked:outline-accent"
    >
      {isFirstUnread && <UnreadDivider />}
      {isTarget && <span className="sr-only">Search result:</span>}
      <Bubble
        own={isOwn}
        name={message.sender_name}
        content={<Content message={message} sessionId={sessionId} />}
        copy={!message.file && <CopyMessage text={message.message} isStop={isLastText} />}
      >
        {isOwn && `${message.sender_name} · `}
        <RelativeDate at={message.created_at} />
        {delivery !== "" && <span> · {delivery}</span>}
      </Bubble>
    </div>
  );
});

function UnreadDivider() {
  return (
    <div data-divider className="flex items-center gap-3 py-2 text-xs font-medium text-text">
      <span aria-hidden className="h-px flex-1 bg-accent" />
      Unread
      <span aria-hidden className="h-px flex-1 bg-accent" />
    </div>
  );
}

function NoteEntry({ note }: { note: Note }) {
  return (
    <div className="flex max-w-[min(85%,68ch)] flex-col gap-1 self-end">
      <div
        data-note
        className="rounded-bubble border border-dashed border-warn bg-warn-wash px-3 py-2 text-sm break-words whitespace-pre-wrap text-text [overflow-wrap:anywhere]"
      >
        <span className="flex items-center gap-1.5 text-xs font-medium text-warn">
          <StickyNote aria-hidden className="size-3" />
          Team note
        </span>
        <MessageText text={note.body} />
      </div>
      <span className="px-1 text-right text-xs text-muted">
        {note.author_name} · <RelativeDate at={note.created_at} />
      </span>
    </div>
  );
}
