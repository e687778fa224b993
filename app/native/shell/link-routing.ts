import { publicPages } from "#app/public-pages.ts";

/** The scheme of our own deep links, for devices on which the https ones are not verified. */
export const APP_SCHEME = "growline";

/** Pages behind the gate that somebody without a session still needs. The shell opens them in the system's browser. */
const OPEN_TO_ALL = [
  "/reset-password",
  ...publicPages.flatMap(({ path, alias, opensInBrowser }) =>
    opensInBrowser ? [path, ...(alias ? [alias] : [])] : [],
  ),
];

export type Way = { to: "app"; path: string } | { to: "browser"; url: string } | { to: "page" };

/** Where a link that is pressed in the shell leads. "page": nothing special, the page or the system knows. */
export function wayOf(href: string, origin: string, signedIn: boolean): Way {
  if (!URL.canParse(href, origin)) return { to: "page" };
  const url = new URL(href, origin);
  if (url.protocol !== "https:" && url.protocol !== "http:") return { to: "page" };
  if (url.origin !== origin) return { to: "browser", url: url.href };
  return !signedIn && OPEN_TO_ALL.includes(url.pathname) ? { to: "browser", url: url.href } : { to: "page" };
}

const FIRST_PAGES = ["/", "/dashboard", "/auth/start", "/onboarding"];

type BackReading = { floats: boolean; offline: boolean; canGoBack: boolean };

export type Back = "close" | "leave" | "back";

/**
 * What Android's back button does: what floats is closed first; from a first page it leaves the app. While there is no
 * network it leaves as well: the page before cannot be loaded, and what is below the offline screen is to stay as it is.
 */
export function backFrom(path: string, { floats, offline, canGoBack }: BackReading): Back {
  if (offline) return "leave";
  if (floats) return "close";
  return FIRST_PAGES.includes(path) || !canGoBack ? "leave" : "back";
}
