type PublicPage = {
  path: string;
  /** The link text in the footer. Pages without one are linked from the header. */
  footerLabel?: string;
  /** A second path of the same page. */
  alias?: string;
  /** Behind the app's gate but useful without a session, so the app opens it in the in-app browser. */
  opensInBrowser?: true;
};

/** The public pages. The sitemap, robots.txt, the footer, the app's links and Lighthouse are derived from this list. */
export const PUBLIC_PAGES = [
  { path: "/" },
  { path: "/services", footerLabel: "Prices", opensInBrowser: true },
  { path: "/api/docs", alias: "/docs/api", footerLabel: "API docs", opensInBrowser: true },
  { path: "/auth/signup" },
  { path: "/auth/login" },
  { path: "/updates", footerLabel: "Updates", opensInBrowser: true },
  { path: "/status", footerLabel: "Status", opensInBrowser: true },
  { path: "/privacy-policy", footerLabel: "Privacy", opensInBrowser: true },
] as const satisfies PublicPage[];

/** The page of a service is `/services/:service`. Which ones there are is in the catalog. */
const SERVICE_PAGE = /^\/services\/[^/]+$/;

export type PublicPath = (typeof PUBLIC_PAGES)[number]["path"] | `/services${"/" | "?"}${string}`;

/** The same list without literal types, for code that reads the optional properties. */
export const publicPages: readonly PublicPage[] = PUBLIC_PAGES;

export function isServicePage(path: string): boolean {
  return SERVICE_PAGE.test(path);
}

/** Returns whether the path is that of a page that is the same for everybody. */
export function isPublicPage(path: string): boolean {
  return isServicePage(path) || publicPages.some((page) => page.path === path || page.alias === path);
}
