import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { openLiveSocket } from "./live-socket.ts";
import { parseHint } from "./protocol.ts";

/** Several hints in a row make one reload of the list. */
const SETTLE_MS = 100;

/** Reloads the page's data whenever a conversation has changed. */
export function useInboxHints(): "connecting" | "live" {
  const { revalidate } = useRevalidator();
  const reload = useRef(revalidate);
  reload.current = revalidate;
  const [connection, setConnection] = useState<"connecting" | "live">("connecting");

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reloadSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => reload.current(), SETTLE_MS);
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
      clearTimeout(timer);
      socket.close();
    };
  }, []);
  return connection;
}
