import ArrowDown from "lucide-react/icons/arrow-down";
import { useRef } from "react";
import { Button } from "#app/components/button.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { Bubble, Content, Delivery } from "./bubble.tsx";
import type { Side, SupportMessage } from "./protocol.ts";
import type { RoomClient, RoomState } from "./room-client.ts";
import { useScrollToEnd } from "./use-scroll-to-end.ts";

export function Thread({ room, state, me }: { room: RoomClient; state: RoomState; me: Side }) {
  const { messages, pending, readSeq } = state;
  const last = messages.at(-1);
  const log = useRef<HTMLDivElement>(null);
  const behind = useScrollToEnd(log, last?.seq ?? 0, pending.length);
  const seenSeq = readSeq[me === "user" ? "admin" : "user"];
  const lastOwn = messages.findLast((message) => message.sender_type === me);

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
        {messages.map((message) => (
          <Bubble
            key={message.seq}
            own={message.sender_type === me}
            name={message.sender_name}
            content={<Content message={message} sessionId={state.session?.session_id ?? ""} />}
          >
            <RelativeDate at={message.created_at} />
            {message === lastOwn && pending.length === 0 && (
              <span> · {wasSeen(message, seenSeq) ? "Seen" : "Sent"}</span>
            )}
          </Bubble>
        ))}
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

function wasSeen(message: SupportMessage, seenSeq: number): boolean {
  return message.seq <= seenSeq;
}
