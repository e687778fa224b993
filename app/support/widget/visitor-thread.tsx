import { Fragment, memo, Suspense, useRef } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { firstSeq, lastSeq } from "#app/support/client/conversation.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";
import type { RoomState } from "#app/support/client/room-state.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { isRating, ownRatingText } from "#app/support/protocol/rating.ts";
import { Bubble, Content } from "#app/support/thread/bubble.tsx";
import { CopyMessage } from "#app/support/thread/copy-message.tsx";
import { DayDivider } from "#app/support/thread/day-divider.tsx";
import { startsDay } from "#app/support/thread/day-label.ts";
import { goesOn } from "#app/support/thread/message-groups.ts";
import { ThreadFrame } from "#app/support/thread/thread-frame.tsx";
import { lazyPart } from "./lazy-part.ts";
import { useScrollToEnd } from "./use-scroll-to-end.ts";

// Loaded only when needed: few conversations are this long.
const EarlierButton = lazyPart(async () => (await import("./earlier-button.tsx")).EarlierButton);

export function Thread({ room, state }: { room: RoomClient | null; state: RoomState }) {
  const { messages, pending, readSeq, session } = state;
  const log = useRef<HTMLDivElement>(null);
  const { hasNew, catchUp } = useScrollToEnd(log, lastSeq(state), pending.length);
  const last = pending.length > 0 ? undefined : messages.findLast(isOwn);
  const first = firstSeq(state);
  const lastText = messages.findLast(({ file }) => !file);
  return (
    <ThreadFrame
      log={log}
      room={room}
      pending={pending}
      endLabel={hasNew ? "New messages" : null}
      onScrollToEnd={catchUp}
    >
      {first > 1 && room && session && (
        <Suspense>
          <EarlierButton room={room} sessionId={session.session_id} first={first} log={log} />
        </Suspense>
      )}
      {messages.map((message, at) => (
        <Fragment key={message.seq}>
          {startsDay(message.created_at, messages[at - 1]?.created_at ?? null) && (
            <DayDivider at={message.created_at} />
          )}
          <MessageBubble
            message={message}
            sessionId={session?.session_id ?? ""}
            receipt={message !== last ? null : message.seq <= readSeq.admin ? "Seen" : "Sent"}
            isLastText={message === lastText}
            continues={goesOn(message, messages[at - 1])}
          />
        </Fragment>
      ))}
    </ThreadFrame>
  );
}

type MessageBubbleProps = {
  message: SupportMessage;
  sessionId: string;
  receipt: "Seen" | "Sent" | null;
  isLastText: boolean;
  continues: boolean;
};

/** A message in the room. `receipt` is for the visitor's last one. */
const MessageBubble = memo(function MessageBubble({
  message,
  sessionId,
  receipt,
  isLastText,
  continues,
}: MessageBubbleProps) {
  return (
    <Bubble
      own={isOwn(message)}
      name={message.sender_name}
      goesOn={continues}
      content={isRating(message) ? ownRatingText(message) : <Content message={message} sessionId={sessionId} />}
      copy={!message.file && <CopyMessage text={message.message} isStop={isLastText} />}
    >
      <RelativeDate at={message.created_at} />
      {receipt && <span> · {receipt}</span>}
    </Bubble>
  );
});

function isOwn({ sender_type }: SupportMessage): boolean {
  return sender_type === "user";
}
