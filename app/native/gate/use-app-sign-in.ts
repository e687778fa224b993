import { useLocation } from "@remix-run/react";
import { useContext, useEffect } from "react";
import { APP_SIGN_IN_PATH } from "#app/http/web-view.ts";
import { GateContext } from "./gate-provider.tsx";

/**
 * Leads from the log-in page on to the app's own sign-in page, if the server led here from a page behind the gate: it takes
 * an app that only its bridge reveals for a browser.
 */
export function useAppSignIn(): void {
  const { state, redirectTo } = useContext(GateContext);
  const { key, search } = useLocation();
  useEffect(() => {
    if (state === "auth" && wasLedHere(key)) redirectTo(APP_SIGN_IN_PATH + search);
  }, [state, key, search, redirectTo]);
}

/** Returns whether the location is the first of its document, which was requested at another path. */
function wasLedHere(key: string): boolean {
  const [opened] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return key === "default" && (opened?.redirectCount ?? 0) > 0;
}
