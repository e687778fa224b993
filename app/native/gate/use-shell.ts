import { useNavigate } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import type { Shown } from "./use-gate.ts";

/** The same as in session-backup.ts, which only the shell loads. */
const SESSION_CHANGED = "growline:session";

/** Opens the shell in a native app. Calls `onRestored` if it restored a session, then `onChecked` in any case. */
export function useShell(
  platform: Shown["platform"],
  options: { signedIn: boolean; sessionKey: string; onRestored: () => void; onChecked: () => void },
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
          current.current.onChecked();
        },
        // The shell's script could not be fetched: the app works like a web page.
        () => current.current.onChecked(),
      );
    return () => {
      over = true;
      close?.();
    };
  }, [isNative]);
}

/** Returns whether there is a session, or null while a stored one may still be restored. */
export function useSession(signedIn: boolean, sessionKey: string, checked: boolean): boolean | null {
  const [stored, setStored] = useState(true);
  useEffect(() => {
    if (!checked) return;
    const look = () => setStored(browserStorage.get(sessionKey) !== null);
    look();
    window.addEventListener(SESSION_CHANGED, look);
    return () => window.removeEventListener(SESSION_CHANGED, look);
  }, [sessionKey, checked]);
  if (signedIn) return true;
  return stored ? null : false;
}
