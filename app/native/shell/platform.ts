import { SHELL_USER_AGENT } from "#app/http/web-view.ts";

/** Detects the native app around the page from its bridge. */

export type NativePlatform = "android" | "ios";

/** An expression for inline scripts: whether our shell is around the page. */
export const IS_SHELL = `(navigator.userAgent.includes("${SHELL_USER_AGENT}")||window.androidBridge||window.webkit?.messageHandlers?.bridge)`;

type Bridge = { getPlatform?: () => unknown };

/** Returns the bridge's platform, or null if there is no bridge. Read each time, because a bridge may come late. */
export function readBridge(around: object): NativePlatform | null {
  try {
    const platform = (around as { Capacitor?: Bridge }).Capacitor?.getPlatform?.();
    return platform === "android" || platform === "ios" ? platform : null;
  } catch {
    return null;
  }
}
