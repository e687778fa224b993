import { useEffect, useState } from "react";
import type { Conversation } from "./conversations.server.ts";
import { openLiveSocket } from "./live-socket.ts";
import { parseHint } from "./protocol.ts";

/** Several hints in a row make one reload of the list. */
const SETTLE_MS = 100;

type Inbox = { conversations: Conversation[]; connection: "connecting" | "live" };

/**
 * The list of conversations, kept up to date by hints. Fetched apart from the page's loaders: a failed revalidation
 * would put the error page in the place of the answer that an agent is writing.
 */
export function useInbox(loaded: Conversation[]): Inbox {
  const [conversations, setConversations] = useState(loaded);
  const [connection, setConnection] = useState<Inbox["connection"]>("connecting");
  useEffect(() => setConversations(loaded), [loaded]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let latest = 0;
    const reload = async () => {
      latest += 1;
      const mine = latest;
      const read = await readInbox();
      // When it cannot be had now, the next connect asks again.
      if (read && mine === latest) setConversations(read);
    };
    const reloadSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(reload, SETTLE_MS);
    };
    const socket = openLiveSocket({
      path: () => "/admin/inbox/socket",
      onOpen() {
        setConnection("live");
        // Hints are not kept for those who were away.
        reloadSoon();
      },
      onText(text) {
        if (parseHint(text)) reloadSoon();
      },
      onDown: () => setConnection("connecting"),
    });
    return () => {
      latest = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
      socket.close();
    };
  }, []);
  return { conversations, connection };
}

async function readInbox(): Promise<Conversation[] | null> {
  try {
    const response = await fetch("/admin/inbox");
    return response.ok ? ((await response.json()) as { conversations: Conversation[] }).conversations : null;
  } catch {
    return null;
  }
}
