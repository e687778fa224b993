/** What the browser around the page says of itself. */

export type NativePlatform = "android" | "ios";

/** Our own shell appends this to its user agent; `capacitor.config.ts` says so to Capacitor. */
export const SHELL_USER_AGENT = "GrowlineShell";

/** An expression for scripts within a page, which run before anything is imported: whether our shell is around it. */
export const IS_SHELL = `(navigator.userAgent.includes("${SHELL_USER_AGENT}")||window.androidBridge||window.webkit?.messageHandlers?.bridge)`;

/** Windows that other apps open links in. They look like a web view, but nobody onboards there. */
const OTHER_APPS = /FBAN|FBAV|FB_IAB|Instagram|Line\/|Twitter|TikTok|musical_ly|Snapchat|Pinterest|LinkedInApp|GSA\//;
const ANDROID_WEB_VIEW = /; wv\)/;
const IOS_DEVICE = /\((?:iPhone|iPad|iPod)[^)]*\) AppleWebKit/;

type Bridge = { getPlatform?: () => unknown };

/** Null while no native bridge answers with android or ios. It is asked anew each time: bridges may come late. */
export function readBridge(around: object): NativePlatform | null {
  try {
    const platform = (around as { Capacitor?: Bridge }).Capacitor?.getPlatform?.();
    return platform === "android" || platform === "ios" ? platform : null;
  } catch {
    return null;
  }
}

/** An embedded view of an app: Android marks it with "wv", iOS leaves "Safari" out. */
export function isWebViewLike(userAgent: string): boolean {
  if (userAgent.includes(SHELL_USER_AGENT)) return true;
  if (OTHER_APPS.test(userAgent)) return false;
  return ANDROID_WEB_VIEW.test(userAgent) || (IOS_DEVICE.test(userAgent) && !/Safari\//.test(userAgent));
}
