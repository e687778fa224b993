import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { forgetDrafts } from "#app/components/forms/use-draft.ts";
import { onRemovedElsewhere, readStored, store } from "./stored-session.ts";

const LOG_OUT_PATH = "/logout";

/**
 * Keeps the browser's tokens in step with the web session: `sessionId` is null if nobody is logged in. `ended` is
 * true if the browser still sends the cookie of a session that has ended.
 */
export function KeepSession({ sessionId, ended }: { sessionId: string | null; ended: boolean }) {
  const before = useRef(sessionId);
  const { revalidate } = useRevalidator();

  useEffect(() => {
    const hasLeft = before.current !== null && before.current !== sessionId;
    if (ended || hasLeft) store(null);
    // If the session ended some other way, the drafts wait for its user to log in again.
    if (hasLeft && !ended) forgetDrafts();
    before.current = sessionId;
    if (sessionId === null && !readStored()) return;

    const over = new AbortController();
    // A failed request here leaves the page as it is: the cookie decides who is logged in.
    keep(sessionId, over.signal, revalidate).catch(() => {});
    const stopListening = onRemovedElsewhere(() => {
      over.abort();
      revalidate();
    });
    // The server would refuse requests that are still running at log-out.
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

// Imported on demand, so that a visitor's page doesn't load it.
async function keep(sessionId: string | null, over: AbortSignal, revalidate: () => void): Promise<void> {
  if (sessionId !== null) {
    const { openBrowserSession } = await import("./browser-session.ts");
    return openBrowserSession(sessionId, over, revalidate);
  }
  const { restoreWebSession } = await import("./shared-refresh.ts");
  if (await restoreWebSession(over)) revalidate();
}
