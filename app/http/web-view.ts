/** Our own shell appends this to its user agent, as set in `capacitor.config.ts`. */
export const SHELL_USER_AGENT = "GrowlineShell";

/** The page that the app opens for people who are not logged in. */
export const APP_SIGN_IN_PATH = "/auth/start";

/** In-app browsers of other apps. They look like a web view, but nobody onboards there. */
const OTHER_APPS = /FBAN|FBAV|FB_IAB|Instagram|Line\/|Twitter|TikTok|musical_ly|Snapchat|Pinterest|LinkedInApp|GSA\//;
const ANDROID_WEB_VIEW = /; wv\)/;
const IOS_DEVICE = /\((?:iPhone|iPad|iPod)[^()]*\) AppleWebKit/;

/** Returns whether the user agent is an embedded web view: Android marks it with "wv", iOS leaves "Safari" out. */
export function isWebViewLike(userAgent: string): boolean {
  if (userAgent.includes(SHELL_USER_AGENT)) return true;
  if (OTHER_APPS.test(userAgent)) return false;
  return ANDROID_WEB_VIEW.test(userAgent) || (IOS_DEVICE.test(userAgent) && !/Safari\//.test(userAgent));
}
