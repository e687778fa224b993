import { useNavigationType } from "@remix-run/react";
import { useContext, useEffect } from "react";
import { APP_SIGN_IN_PATH } from "#app/http/web-view.ts";
import { GateContext } from "./gate-provider.tsx";

/**
 * Leads from the log-in page on to the app's own sign-in page, if the server led here from a page behind the gate: it takes
 * an app that only its bridge reveals for a browser.
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

/** Once in a document: who comes back to the log-in page wants to be there. */
let hasLed = false;

/** Returns whether the document was requested at another path. */
function wasRedirected(): boolean {
  const [opened] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (opened?.redirectCount ?? 0) > 0;
}
