import { useEffect, useState } from "react";
import type { Reply } from "#app/support/team/saved-replies.server.ts";

/** How long typing must pause before the server is asked. */
const PAUSE_MS = 150;

/**
 * Returns `loaded` and, once typing pauses, the replies that the server finds for `typed`. Null asks for nothing: no
 * shortcut is being typed, or the console has loaded all replies.
 */
export function useReplySearch(typed: string | null, loaded: Reply[]): Reply[] {
  const [found, setFound] = useState<Reply[]>([]);
  useEffect(() => {
    if (typed === null || typed === "") return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const replies = await ask(typed, abort.signal);
      if (!abort.signal.aborted) setFound(replies);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed]);
  if (typed === null || found.length === 0) return loaded;
  const known = new Set(loaded.map(({ id }) => id));
  return [...loaded, ...found.filter(({ id }) => !known.has(id))];
}

/** Returns none if the search failed: the loaded replies are still offered. */
async function ask(typed: string, signal: AbortSignal): Promise<Reply[]> {
  try {
    const response = await fetch(`/admin/find-replies?${new URLSearchParams({ q: typed })}`, { signal });
    if (!response.ok || response.redirected) return [];
    const { replies } = (await response.json()) as { replies: Reply[] };
    return replies;
  } catch {
    return [];
  }
}
