/** Detects the native app around the page from its bridge or user agent. */

export type NativePlatform = "android" | "ios";

/** Our own shell appends this to its user agent, as set in `capacitor.config.ts`. */
export const SHELL_USER_AGENT = "GrowlineShell";

/** An expression for inline scripts: whether our shell is around the page. */
export const IS_SHELL = `(navigator.userAgent.includes("${SHELL_USER_AGENT}")||window.androidBridge||window.webkit?.messageHandlers?.bridge)`;

/** In-app browsers of other apps. They look like a web view, but nobody onboards there. */
const OTHER_APPS = /FBAN|FBAV|FB_IAB|Instagram|Line\/|Twitter|TikTok|musical_ly|Snapchat|Pinterest|LinkedInApp|GSA\//;
const ANDROID_WEB_VIEW = /; wv\)/;
const IOS_DEVICE = /\((?:iPhone|iPad|iPod)[^()]*\) AppleWebKit/;

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

/** Returns whether the user agent is an embedded web view: Android marks it with "wv", iOS leaves "Safari" out. */
export function isWebViewLike(userAgent: string): boolean {
  if (userAgent.includes(SHELL_USER_AGENT)) return true;
  if (OTHER_APPS.test(userAgent)) return false;
  return ANDROID_WEB_VIEW.test(userAgent) || (IOS_DEVICE.test(userAgent) && !/Safari\//.test(userAgent));
}
