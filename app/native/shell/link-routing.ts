import { isServicePage, publicPages } from "#app/public-pages.ts";

/** The scheme of our own deep links, for devices that have not verified the https ones. */
export const APP_SCHEME = "growline";

/** Pages behind the gate that people without a session need. The shell opens them in the in-app browser. */
const OPEN_TO_ALL = [
  "/reset-password",
  ...publicPages.flatMap(({ path, alias, opensInBrowser }) =>
    opensInBrowser ? [path, ...(alias ? [alias] : [])] : [],
  ),
];

export type LinkTarget = { to: "app"; path: string } | { to: "browser"; url: string } | { to: "page" };

/** Decides where a link pressed in the shell opens. "page" means no special handling. */
export function linkTarget(href: string, origin: string, signedIn: boolean): LinkTarget {
  if (!URL.canParse(href, origin)) return { to: "page" };
  const url = new URL(href, origin);
  if (url.protocol !== "https:" && url.protocol !== "http:") return { to: "page" };
  if (url.origin !== origin) return { to: "browser", url: url.href };
  const isOpenToAll = OPEN_TO_ALL.includes(url.pathname) || isServicePage(url.pathname);
  return !signedIn && isOpenToAll ? { to: "browser", url: url.href } : { to: "page" };
}

const FIRST_PAGES = ["/", "/dashboard", "/auth/start", "/onboarding"];

type BackReading = { hasOverlay: boolean; offline: boolean; canGoBack: boolean };

export type Back = "close" | "leave" | "back";

/**
 * Decides what Android's back button does. It closes an open overlay first, and leaves the app from a first page. It also
 * leaves while offline: the previous page cannot be loaded, and the page below the offline screen must stay as it is.
 */
export function backFrom(path: string, { hasOverlay, offline, canGoBack }: BackReading): Back {
  if (offline) return "leave";
  if (hasOverlay) return "close";
  return FIRST_PAGES.includes(path) || !canGoBack ? "leave" : "back";
}
