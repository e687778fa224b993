import { APP_SCHEME } from "./link-routing.ts";

/** A page that a deep link opens, and with `below` the pages under it, except what is no page. */
export type DeepLink = { path: string; below?: boolean; except?: string[] };

/** Links of mails stay with the browser: their pages are behind the app's gate. So does Google's answer to a browser. */
export const DEEP_LINKS: DeepLink[] = [
  {
    path: "/dashboard",
    below: true,
    except: [
      "/dashboard/account/export",
      "/dashboard/orders.csv",
      "/dashboard/orders/live",
      "/dashboard/services/*",
      "/dashboard/transactions.csv",
    ],
  },
  { path: "/account/delete" },
  { path: "/gmail-sync" },
  { path: "/upload" },
];

/** Google's answer as the system's browser hands it to the app: by our own scheme alone, see docs/native.md. */
const HANDED_OVER = "/gmail-sync/callback";

/** The path on this site that a link from outside opens in the app; null for any other. `growline://dashboard` is /dashboard. */
export function deepLinkPath(link: string, origin: string): string | null {
  if (!URL.canParse(link)) return null;
  const given = new URL(link);
  const ours = given.protocol === `${APP_SCHEME}:`;
  const url = ours ? new URL(link.slice(given.protocol.length).replace(/^\/*/, "/"), origin) : given;
  if (url.origin !== origin) return null;
  const path = url.pathname.replace(/(?<=.)\/$/, "");
  if (!opens(path) && !(ours && path === HANDED_OVER)) return null;
  return path + url.search + url.hash;
}

function opens(path: string): boolean {
  return DEEP_LINKS.some((entry) => {
    if (entry.path === path) return true;
    if (!entry.below || !path.startsWith(`${entry.path}/`)) return false;
    return !entry.except?.some((it) => (it.endsWith("/*") ? path.startsWith(it.slice(0, -1)) : it === path));
  });
}
