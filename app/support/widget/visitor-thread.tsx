import { memo, useRef } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { lastSeq } from "#app/support/client/conversation.ts";
import type { RoomClient, RoomState } from "#app/support/client/room-client.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { isRating, ownRatingText } from "#app/support/protocol/rating.ts";
import { Bubble, Content } from "#app/support/thread/bubble.tsx";
import { ThreadFrame } from "#app/support/thread/thread-frame.tsx";
import { useScrollToEnd } from "./use-scroll-to-end.ts";

export function Thread({ room, state }: { room: RoomClient; state: RoomState }) {
  const { messages, pending, readSeq, session } = state;
  const log = useRef<HTMLDivElement>(null);
  const { hasNew, catchUp } = useScrollToEnd(log, lastSeq(state), pending.length);
  const last = pending.length > 0 ? undefined : messages.findLast(isOwn);
  return (
    <ThreadFrame
      log={log}
      room={room}
      pending={pending}
      endLabel={hasNew ? "New messages" : null}
      onScrollToEnd={catchUp}
    >
      {messages.map((message) => (
        <MessageBubble
          key={message.seq}
          message={message}
          sessionId={session?.session_id ?? ""}
          receipt={message !== last ? null : message.seq <= readSeq.admin ? "Seen" : "Sent"}
        />
      ))}
    </ThreadFrame>
  );
}

type MessageBubbleProps = { message: SupportMessage; sessionId: string; receipt: "Seen" | "Sent" | null };

/** A message in the room. `receipt` is for the visitor's last one. */
const MessageBubble = memo(function MessageBubble({ message, sessionId, receipt }: MessageBubbleProps) {
  return (
    <Bubble
      own={isOwn(message)}
      name={message.sender_name}
      content={isRating(message) ? ownRatingText(message) : <Content message={message} sessionId={sessionId} />}
    >
      <RelativeDate at={message.created_at} />
      {receipt && <span> · {receipt}</span>}
    </Bubble>
  );
});

function isOwn({ sender_type }: SupportMessage): boolean {
  return sender_type === "user";
}
