import { useSyncExternalStore } from "react";

/** Returns the reader's time zone, once it is known. Until then, the one that was `shown`. */
export function useTimeZone(shown: string): string {
  return useSyncExternalStore(
    () => () => {},
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => shown,
  );
}
