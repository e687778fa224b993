import ArrowDown from "lucide-react/icons/arrow-down";
import StickyNote from "lucide-react/icons/sticky-note";
import { useRef } from "react";
import { Button } from "#app/components/button.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { Bubble, Content, Delivery } from "../bubble.tsx";
import type { Note } from "../console-protocol.ts";
import type { SupportMessage } from "../protocol.ts";
import type { RoomClient, RoomState } from "../room-client.ts";
import { useScrollToEnd } from "../use-scroll-to-end.ts";

type Entry = { at: number; message: SupportMessage; note?: never } | { at: number; note: Note; message?: never };

/** The conversation with the team's notes between the messages, by time. */
export function ConsoleThread({ room, state, notes }: { room: RoomClient; state: RoomState; notes: Note[] }) {
  const { messages, pending, readSeq } = state;
  const log = useRef<HTMLDivElement>(null);
  const behind = useScrollToEnd(log, (messages.at(-1)?.seq ?? 0) + notes.length, pending.length);
  const lastOwn = messages.findLast((message) => message.sender_type === "admin");
  const entries: Entry[] = [
    ...messages.map((message) => ({ at: message.created_at, message })),
    ...notes.map((note) => ({ at: note.created_at, note })),
  ];
  // Adopted messages are older than those before them, and keep their place.
  if (notes.length > 0) entries.sort((one, other) => one.at - other.at);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={log}
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto overscroll-contain p-4 -outline-offset-2"
      >
        {entries.map(({ message, note }) =>
          note ? (
            <NoteEntry key={`note-${note.no}`} note={note} />
          ) : (
            <Bubble
              key={message.seq}
              own={message.sender_type === "admin"}
              name={message.sender_name}
              content={<Content message={message} sessionId={state.session?.session_id ?? ""} />}
            >
              {message.sender_type === "admin" && `${message.sender_name} · `}
              <RelativeDate at={message.created_at} />
              {message === lastOwn && pending.length === 0 && (
                <span> · {message.seq <= readSeq.user ? "Seen" : "Sent"}</span>
              )}
            </Bubble>
          ),
        )}
        {pending.map((message) => (
          <Bubble key={message.clientId} own name="" content={message.body}>
            <Delivery message={message} onRetry={() => room.retry(message.clientId)} />
          </Bubble>
        ))}
      </div>
      {behind.isBehind && (
        <Button
          variant="secondary"
          onClick={behind.catchUp}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-float"
        >
          <ArrowDown aria-hidden className="size-4" />
          New messages
        </Button>
      )}
    </div>
  );
}

function NoteEntry({ note }: { note: Note }) {
  return (
    <div className="flex max-w-[min(85%,68ch)] flex-col gap-1 self-end">
      <div
        data-note
        className="rounded-bubble bg-warn-wash px-3 py-2 text-sm break-words whitespace-pre-wrap text-text [overflow-wrap:anywhere]"
      >
        <span className="flex items-center gap-1.5 text-xs font-medium text-warn">
          <StickyNote aria-hidden className="size-3" />
          Note for the team
        </span>
        {note.body}
      </div>
      <span className="px-1 text-right text-xs text-muted">
        {note.author_name} · <RelativeDate at={note.created_at} />
      </span>
    </div>
  );
}
