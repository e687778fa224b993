import { useRevalidator } from "@remix-run/react";
import { useEffect } from "react";

const REFRESH_MS = 2000;

/** Reloads the page's data every 2 s while `active` and while the page is visible. */
export function useRefresh(active: boolean): void {
  const { revalidate, state } = useRevalidator();
  useEffect(() => {
    if (!active || state !== "idle") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    function schedule() {
      clearTimeout(timer);
      if (document.visibilityState === "visible") timer = setTimeout(revalidate, REFRESH_MS);
    }
    schedule();
    document.addEventListener("visibilitychange", schedule);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", schedule);
    };
  }, [active, state, revalidate]);
}
