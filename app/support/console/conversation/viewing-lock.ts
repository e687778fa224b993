import { useEffect } from "react";

const PREFIX = "growline.console.viewing:";

/** Says to every tab of this browser that the conversation is in front of the agent. */
export function useViewingLock(sessionId: string): void {
  useEffect(() => {
    // Absent on a plain http address.
    const locks: LockManager | undefined = navigator.locks;
    if (!locks) return;
    let release: (() => void) | null = null;
    const change = () => {
      release?.();
      release = null;
      if (document.visibilityState === "hidden") return;
      const over = new Promise<void>((resolve) => {
        release = resolve;
      });
      locks.request(PREFIX + sessionId, { mode: "shared" }, () => over);
    };
    change();
    document.addEventListener("visibilitychange", change);
    return () => {
      document.removeEventListener("visibilitychange", change);
      release?.();
    };
  }, [sessionId]);
}

/** The conversations that this or another tab has in front of the agent. */
export async function viewedConversations(): Promise<Set<string>> {
  const locks: LockManager | undefined = navigator.locks;
  const { held = [] } = (await locks?.query()) ?? {};
  return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])));
}
