type PublicPage = {
  path: string;
  /** What the footer calls it. Pages without one are linked from the header. */
  footerLabel?: string;
  /** A second address of the same page. */
  alias?: string;
  /** Behind the app's gate, yet of use without a session: the app opens it in the system's browser. */
  opensInBrowser?: true;
};

/** The pages that strangers may find. The sitemap, robots.txt, the footer, the app's links and Lighthouse follow from it. */
export const PUBLIC_PAGES = [
  { path: "/" },
  { path: "/api/docs", alias: "/docs/api", footerLabel: "API docs", opensInBrowser: true },
  { path: "/auth/signup" },
  { path: "/auth/login" },
  { path: "/privacy-policy", footerLabel: "Privacy", opensInBrowser: true },
] as const satisfies PublicPage[];

export type PublicPath = (typeof PUBLIC_PAGES)[number]["path"];

/** The same list without the literal types, for what goes through its optional properties. */
export const publicPages: readonly PublicPage[] = PUBLIC_PAGES;
