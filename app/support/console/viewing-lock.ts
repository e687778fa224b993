import { useEffect } from "react";

const PREFIX = "growline.console.viewing:";

/** Holds a lock while the agent views the conversation, which every tab of this browser can query. */
export function useViewingLock(sessionId: string): void {
  useEffect(() => {
    // Absent on plain http.
    const locks: LockManager | undefined = navigator.locks;
    if (!locks) return;
    let release: (() => void) | null = null;
    const update = () => {
      release?.();
      release = null;
      if (document.visibilityState === "hidden") return;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      void locks.request(PREFIX + sessionId, { mode: "shared" }, () => released);
    };
    update();
    document.addEventListener("visibilitychange", update);
    return () => {
      document.removeEventListener("visibilitychange", update);
      release?.();
    };
  }, [sessionId]);
}

/** Returns the conversations that the agent views in this or another tab. */
export async function viewedConversations(): Promise<Set<string>> {
  const locks: LockManager | undefined = navigator.locks;
  const { held = [] } = (await locks?.query()) ?? {};
  return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])));
}
