import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { onRemovedElsewhere, readStored, store } from "./stored-session.ts";

const LOG_OUT_PATH = "/logout";

/**
 * Keeps the browser's tokens in step with the web session: `sessionId` is null when nobody is signed in, `ended` when
 * the browser still shows the cookie of a session that is over.
 */
export function KeepSession({ sessionId, ended }: { sessionId: string | null; ended: boolean }) {
  const before = useRef(sessionId);
  const { revalidate } = useRevalidator();

  useEffect(() => {
    if (ended || (before.current !== null && before.current !== sessionId)) store(null);
    before.current = sessionId;
    if (sessionId === null && !readStored()) return;

    const over = new AbortController();
    // A failed request here leaves the page as it is: the cookie says who is signed in.
    keep(sessionId, over.signal, revalidate).catch(() => {});
    const stopListening = onRemovedElsewhere(() => {
      over.abort();
      revalidate();
    });
    // Requests still running at sign-out would be refused.
    const onSubmit = ({ target }: SubmitEvent) => {
      if (target instanceof HTMLFormElement && new URL(target.action).pathname === LOG_OUT_PATH) over.abort();
    };
    document.addEventListener("submit", onSubmit, { capture: true });
    return () => {
      document.removeEventListener("submit", onSubmit, { capture: true });
      stopListening();
      over.abort();
    };
  }, [sessionId, ended, revalidate]);

  return null;
}

// Loaded here, so that a visitor's page does without.
async function keep(sessionId: string | null, over: AbortSignal, revalidate: () => void): Promise<void> {
  if (sessionId !== null) {
    const { openBrowserSession } = await import("./browser-session.ts");
    return openBrowserSession(sessionId, over, revalidate);
  }
  const { restoreWebSession } = await import("./shared-refresh.ts");
  if (await restoreWebSession(over)) revalidate();
}
