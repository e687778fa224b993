import { useCallback, useEffect, useRef, useState } from "react";
import { loadEarlier } from "#app/support/client/earlier-messages.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";

/** What happens to the messages before the first one that is shown. `none`: there are none. */
export type EarlierState = "none" | "idle" | "loading" | "failed";

/**
 * Loads earlier messages: a page when `load` is called, and all from `wanted` on, a seq. One request after the other, so
 * that each knows what the last one brought.
 */
export function useEarlierMessages(
  room: RoomClient,
  sessionId: string,
  { first, wanted }: { first: number; wanted: number | null },
) {
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const isMissing = wanted !== null && wanted < first;
  const upTo = isMissing ? Math.max(wanted, 1) : undefined;

  const load = useCallback(() => {
    setState("loading");
    const loading = last.current.then(() => loadEarlier(room, sessionId, upTo));
    last.current = loading;
    void loading.then((isLoaded) => {
      if (last.current === loading) setState(isLoaded ? "idle" : "failed");
    });
  }, [room, sessionId, upTo]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once per wanted message, however many pages it takes
  useEffect(() => {
    if (isMissing) load();
  }, [isMissing, wanted]);

  return { state: first === 1 ? ("none" as const) : state, load };
}
