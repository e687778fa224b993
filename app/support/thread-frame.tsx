import ArrowDown from "lucide-react/icons/arrow-down";
import { type ReactNode, useRef } from "react";
import { Button } from "#app/components/button.tsx";
import { PendingBubble } from "./bubble.tsx";
import type { Pending } from "./conversation.ts";
import type { RoomClient } from "./room-client.ts";
import { useScrollToEnd } from "./use-scroll-to-end.ts";

/** The list of what was said, and after it what is on its way. `lastSeq` grows with everything that is added. */
export function ThreadFrame({
  room,
  pending,
  lastSeq,
  children,
}: {
  room: RoomClient;
  pending: Pending[];
  lastSeq: number;
  children: ReactNode;
}) {
  const log = useRef<HTMLDivElement>(null);
  const behind = useScrollToEnd(log, lastSeq, pending.length);
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
        {children}
        {pending.map((message) => (
          <PendingBubble key={message.clientId} message={message} room={room} />
        ))}
      </div>
      {behind.isBehind && (
        <div className="absolute bottom-3 left-1/2 -translate-x-1/2">
          <Button variant="secondary" onClick={behind.catchUp} className="shadow-float">
            <ArrowDown aria-hidden className="size-4" />
            New messages
          </Button>
        </div>
      )}
    </div>
  );
}
