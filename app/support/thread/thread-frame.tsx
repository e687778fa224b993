import ArrowDown from "lucide-react/icons/arrow-down";
import type { ReactNode, RefObject } from "react";
import { Button } from "#app/components/ui/button.tsx";
import type { Pending } from "#app/support/client/pending-messages.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";
import { PendingBubble } from "./bubble.tsx";

/** The messages, followed by the pending ones. */
export function ThreadFrame({
  log,
  room,
  pending,
  endLabel,
  onScrollToEnd,
  children,
}: {
  log: RefObject<HTMLDivElement>;
  /** Null until there is a connection to send anything with. */
  room: RoomClient | null;
  pending: Pending[];
  /** Label of the button to the newest message, or null to hide it. */
  endLabel: string | null;
  onScrollToEnd: () => void;
  children: ReactNode;
}) {
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={log}
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto overscroll-contain p-4 -outline-offset-2"
      >
        {children}
        {room && pending.map((message) => <PendingBubble key={message.clientId} message={message} room={room} />)}
      </div>
      {endLabel !== null && (
        <div className="absolute bottom-3 left-1/2 -translate-x-1/2">
          <Button variant="secondary" onClick={onScrollToEnd} className="shadow-float">
            <ArrowDown aria-hidden className="size-4" />
            {endLabel}
          </Button>
        </div>
      )}
    </div>
  );
}
