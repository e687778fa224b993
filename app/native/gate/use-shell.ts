import { useNavigate } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { Shown } from "./use-gate.ts";

/** As in kept-session.ts, which is loaded in the shell alone. */
const SESSION_CHANGED = "growline:session";

/**
 * Whether a stored session is still being looked for or restored. Not true for ever: the gate gives it some seconds.
 * `onRestored` is called when the shell has put one back.
 */
export function useShell(
  platform: Shown["platform"],
  options: { signedIn: boolean; sessionKey: string; onRestored: () => void; onLooked: () => void },
): void {
  const navigate = useNavigate();
  const current = useRef({ navigate, ...options });
  current.current = { navigate, ...options };
  const isNative = platform === "android" || platform === "ios";

  useEffect(() => {
    if (!isNative) return;
    let close: (() => void) | null = null;
    let over = false;
    const { sessionKey } = current.current;
    import("#app/native/shell/open-shell.ts")
      .then(({ openShell }) =>
        openShell({
          sessionKey,
          isSignedIn: () => current.current.signedIn,
          go: (path) => current.current.navigate(path),
        }),
      )
      .then(
        (shell) => {
          if (over) return shell.close();
          close = shell.close;
          if (shell.restored) current.current.onRestored();
          current.current.onLooked();
        },
        // Its script could not be fetched: the app goes on as a page.
        () => current.current.onLooked(),
      );
    return () => {
      over = true;
      close?.();
    };
  }, [isNative]);
}

/** True, false, or null while one that is stored may still turn out to be good. */
export function useSession(signedIn: boolean, sessionKey: string, looked: boolean): boolean | null {
  const [stored, setStored] = useState(true);
  useEffect(() => {
    if (!looked) return;
    const look = () => setStored(hasStored(sessionKey));
    look();
    window.addEventListener(SESSION_CHANGED, look);
    return () => window.removeEventListener(SESSION_CHANGED, look);
  }, [sessionKey, looked]);
  if (signedIn) return true;
  return stored ? null : false;
}

function hasStored(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}
