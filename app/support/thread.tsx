import ArrowDown from "lucide-react/icons/arrow-down";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/button.tsx";
import { RelativeDate } from "#app/components/date.tsx";
import { Bubble, Content, Delivery } from "./bubble.tsx";
import type { Side, SupportMessage } from "./protocol.ts";
import type { RoomClient, RoomState } from "./room-client.ts";

const SCROLL_AFTER_MS = 50;
/** Nearer to the end than this counts as at the end. */
const AT_END_PX = 60;

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

/** Follows the end of the list, unless the reader has scrolled up; what this side sends always shows. */
function useScrollToEnd(log: React.RefObject<HTMLDivElement>, lastSeq: number, pendingCount: number) {
  const atEnd = useRef(true);
  const pendingBefore = useRef(pendingCount);
  const [isBehind, setBehind] = useState(false);

  useEffect(() => {
    const element = log.current;
    const onScroll = () => {
      if (!element) return;
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PX;
      if (atEnd.current) setBehind(false);
    };
    element?.addEventListener("scroll", onScroll, { passive: true });
    return () => element?.removeEventListener("scroll", onScroll);
  }, [log]);

  useEffect(() => {
    const saidSomething = pendingCount > pendingBefore.current;
    pendingBefore.current = pendingCount;
    if (!atEnd.current && !saidSomething) {
      if (lastSeq > 0) setBehind(true);
      return;
    }
    atEnd.current = true;
    const timer = setTimeout(() => log.current?.scrollTo({ top: log.current.scrollHeight }), SCROLL_AFTER_MS);
    return () => clearTimeout(timer);
  }, [log, lastSeq, pendingCount]);

  useEffect(() => {
    const element = log.current;
    if (!element) return;
    const stay = () => atEnd.current && element.scrollTo({ top: element.scrollHeight });
    // An image takes its room only when it has come. Its load event does not bubble.
    element.addEventListener("load", stay, true);
    const resized = new ResizeObserver(stay);
    resized.observe(element);
    return () => {
      element.removeEventListener("load", stay, true);
      resized.disconnect();
    };
  }, [log]);

  function catchUp(): void {
    log.current?.scrollTo({ top: log.current.scrollHeight, behavior: "smooth" });
    log.current?.focus();
  }
  return { isBehind, catchUp };
}
