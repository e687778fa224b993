import StickyNote from "lucide-react/icons/sticky-note";
import { RelativeDate } from "#app/components/date.tsx";
import { MessageBubble } from "../bubble.tsx";
import type { Note } from "../console-protocol.ts";
import { lastSeq } from "../conversation.ts";
import type { SupportMessage } from "../protocol.ts";
import type { RoomClient, RoomState } from "../room-client.ts";
import { ThreadFrame } from "../thread-frame.tsx";

type Entry = { at: number; message: SupportMessage; note?: never } | { at: number; note: Note; message?: never };

/** The conversation with the team's notes between the messages, by time. */
export function ConsoleThread({ room, state, notes }: { room: RoomClient; state: RoomState; notes: Note[] }) {
  const entries: Entry[] = [
    ...state.messages.map((message) => ({ at: message.created_at, message })),
    ...notes.map((note) => ({ at: note.created_at, note })),
  ];
  // Adopted messages are older than those before them, and keep their place.
  if (notes.length > 0) entries.sort((one, other) => one.at - other.at);
  return (
    <ThreadFrame room={room} pending={state.pending} lastSeq={lastSeq(state) + notes.length}>
      {entries.map(({ message, note }) =>
        note ? (
          <NoteEntry key={`note-${note.no}`} note={note} />
        ) : (
          <MessageBubble key={message.seq} message={message} state={state} me="admin" />
        ),
      )}
    </ThreadFrame>
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
