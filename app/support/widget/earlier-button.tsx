import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { loadEarlier } from "#app/support/client/earlier-messages.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";

/** Loads messages from before the first one, and keeps the reader where they are. */
export function EarlierButton({
  room,
  sessionId,
  first,
  log,
}: {
  room: RoomClient;
  sessionId: string;
  /** The first message that is shown. */
  first: number;
  log: RefObject<HTMLDivElement>;
}) {
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const below = useRef<number | null>(null);
  const block = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when earlier messages have come
  useLayoutEffect(() => {
    const element = log.current;
    if (element && below.current !== null) element.scrollTop = element.scrollHeight - below.current;
    below.current = null;
  }, [log, first]);
  // With the first message of all, the button goes instead. The focus must not vanish with it.
  useLayoutEffect(
    () => () => {
      const [element, rest] = [log.current, below.current];
      if (!element) return;
      if (block.current?.contains(document.activeElement)) element.focus({ preventScroll: true });
      if (rest !== null) queueMicrotask(() => element.scrollTo({ top: element.scrollHeight - rest }));
    },
    [log],
  );

  async function load(): Promise<void> {
    setState("loading");
    const element = log.current;
    below.current = element && element.scrollHeight - element.scrollTop;
    setState((await loadEarlier(room, sessionId)) ? "idle" : "failed");
  }

  return (
    <div ref={block} className="flex flex-col items-center gap-2 text-sm">
      {state === "failed" && <p role="alert">Couldn't load earlier messages.</p>}
      <Button variant="secondary" busy={state === "loading"} onClick={load}>
        {state === "failed" ? "Try again" : "Show earlier messages"}
      </Button>
    </div>
  );
}
