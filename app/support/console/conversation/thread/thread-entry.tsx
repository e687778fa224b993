import StickyNote from "lucide-react/icons/sticky-note";
import { memo } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { Note } from "#app/support/protocol/console-frames.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { Bubble, Content } from "#app/support/thread/bubble.tsx";
import { CopyMessage } from "#app/support/thread/copy-message.tsx";
import { NoteText } from "./note-text.tsx";

/** Memoized, because a long thread arrives one message at a time. */
export const MessageEntry = memo(function MessageEntry({
  message,
  sessionId,
  isTarget,
  isFirstUnread,
  delivery,
  isLastText,
  continues,
}: {
  message: SupportMessage;
  sessionId: string;
  isTarget: boolean;
  isFirstUnread: boolean;
  /** Delivery status, for the last message of this side only. */
  delivery: string;
  isLastText: boolean;
  /** Goes on from the message above it. */
  continues: boolean;
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
        goesOn={continues}
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

export function NoteEntry({ note }: { note: Note }) {
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
        <NoteText note={note} />
      </div>
      <span className="px-1 text-right text-xs text-muted">
        {note.author_name} · <RelativeDate at={note.created_at} />
      </span>
    </div>
  );
}
