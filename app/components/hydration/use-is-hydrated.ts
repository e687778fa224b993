import { useSyncExternalStore } from "react";

/** Returns false on the server and during hydration, then true. Disable whatever needs scripts while it is false. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}

function neverChanges(): () => void {
  return () => {};
}
