import { useNavigationType } from "@remix-run/react";
import { useContext, useEffect } from "react";
import { APP_SIGN_IN_PATH } from "#app/http/web-view.ts";
import { GateContext } from "./gate-provider.tsx";

/**
 * Moves on from the log-in page to the app's sign-in page if the server redirected here from a gated page. The server
 * takes an app known only by its bridge for a browser.
 */
export function useAppSignIn(): void {
  const { state, redirectTo } = useContext(GateContext);
  const isLink = useNavigationType() !== "POP";
  useEffect(() => {
    if (state !== "auth" || isLink || hasLed || !wasRedirected()) return;
    hasLed = true;
    redirectTo(APP_SIGN_IN_PATH);
  }, [state, isLink, redirectTo]);
}

/** Redirects once per document, so that people can go back to the log-in page. */
let hasLed = false;

/** Returns whether the document was requested at another path. */
function wasRedirected(): boolean {
  const [opened] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (opened?.redirectCount ?? 0) > 0;
}
