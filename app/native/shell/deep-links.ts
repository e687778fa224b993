import { safePath } from "#app/http/requests/safe-path.ts";
import { APP_SCHEME } from "./link-routing.ts";

/** A page that a deep link opens; with `below` also the pages under it, except paths that are not pages. */
export type DeepLink = { path: string; below?: boolean; except?: string[] };

/**
 * Links in emails open in the browser, because their pages are behind the app's gate. So does Google's OAuth callback.
 */
export const DEEP_LINKS: DeepLink[] = [
  {
    path: "/dashboard",
    below: true,
    except: [
      "/dashboard/account/export",
      "/dashboard/orders.csv",
      "/dashboard/orders/live",
      "/dashboard/orders/mass/check",
      "/dashboard/percent-code",
      "/dashboard/services/*",
      "/dashboard/transactions.csv",
    ],
  },
  { path: "/account/delete" },
  { path: "/gmail-sync" },
  { path: "/upload" },
];

/**
 * Google's OAuth callback, as the system's browser passes it to the app: only by our own scheme, see docs/native.md.
 */
const HANDED_OVER = "/gmail-sync/callback";

/** Returns the path that an outside link opens in the app, or null. `growline://dashboard` opens /dashboard. */
export function deepLinkPath(link: string, origin: string): string | null {
  if (!URL.canParse(link)) return null;
  const given = new URL(link);
  const ours = given.protocol === `${APP_SCHEME}:`;
  const url = ours ? new URL(link.slice(given.protocol.length).replace(/^\/*/, "/"), origin) : given;
  if (url.origin !== origin) return null;
  const path = url.pathname.replace(/(?<=.)\/$/, "");
  if (!opens(path) && !(ours && path === HANDED_OVER)) return null;
  return safePath(path + url.search + url.hash, "") || null;
}

function opens(path: string): boolean {
  return DEEP_LINKS.some((entry) => {
    if (entry.path === path) return true;
    if (!entry.below || !path.startsWith(`${entry.path}/`)) return false;
    return !entry.except?.some((it) => (it.endsWith("/*") ? path.startsWith(it.slice(0, -1)) : it === path));
  });
}
