import type { RouteConfigEntry } from "@remix-run/route-config";
import { ownValue } from "#app/own-value.ts";
import routes from "#app/routes.ts";

/** Lists every page of `app/routes.ts` with its audience, for screenshots and accessibility tests. */

export type ListedPage = { path: string; who: "visitor" | "customer" | "agent" | "admin" };

/** Values for route parameters. A page whose parameter has no value here makes the list throw. */
export type Samples = Record<string, string>;

/** Addresses of one route that look different, such as a used link or an unknown page. */
const VARIANTS: Record<string, string[]> = {
  "/reset-password": ["/reset-password", "/reset-password?token=used"],
  "/account/email": ["/account/email?token=any"],
  "/admin/emails": ["/admin/emails", "/admin/emails?state=suppressed"],
  "/admin/services/bulk": [
    "/admin/services/bulk?all=1&change=price&by=-90&step=0.05",
    "/admin/services/bulk?id=1&id=2&change=category",
  ],
  "/admin/services/:id": ["/admin/services/1", "/admin/services/new"],
  "/admin/providers/:id": ["/admin/providers/1"],
  "/admin/orders": ["/admin/orders", "/admin/orders?late=1"],
  "/admin/orders/bulk": ["/admin/orders/bulk?id=1&id=2&decide=refund"],
  "/admin/orders/:id": ["/admin/orders/1", "/admin/orders/2"],
  "/dashboard/orders/:id": ["/dashboard/orders/1", "/dashboard/orders/2"],
  "/services": ["/services", "/services?q=instagram&network=Instagram", "/services?q=nothing+like+it"],
  "/services/:service": ["/services/1"],
  "/*": ["/nowhere"],
  "/admin/*": ["/admin/nowhere"],
};

const ROLES: [RegExp, ListedPage["who"]][] = [
  [/^\/admin(\/support\/.*)?$/, "agent"],
  [/^\/admin\//, "admin"],
  [/^\/(dashboard|account\/delete|upload)(\/|$)/, "customer"],
];

export function listPages(samples: Samples): ListedPage[] {
  return pagePaths().flatMap((pattern) => {
    const variants = ownValue(VARIANTS, pattern);
    if (variants) return variants.map((path) => ({ path, who: whoSees(path) }));
    const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
      const key = `${pattern} :${name}`;
      const value = ownValue(samples, key);
      if (value === undefined) throw new Error(`tools/pages/page-list.ts needs a sample for "${key}"`);
      return encodeURIComponent(value);
    });
    return [{ path, who: whoSees(path) }];
  });
}

/** Returns the patterns of the console's pages, without the one for addresses that lead nowhere. */
export function consolePatterns(): string[] {
  return pagePaths().filter((pattern) => /^\/admin(\/|$)/.test(pattern) && !pattern.endsWith("*"));
}

/** Returns patterns such as "/admin/support/:id". A page has a component, so its module is a .tsx. */
export function pagePaths(): string[] {
  return patternsOf(routes as RouteConfigEntry[], "");
}

function patternsOf(entries: RouteConfigEntry[], parent: string): string[] {
  return entries.flatMap((entry) => {
    const pattern = entry.path === undefined ? parent : `${parent}/${entry.path}`;
    const children = patternsOf(entry.children ?? [], pattern);
    const isLayout = entry.path === undefined && !entry.index;
    const isPage = entry.file.endsWith(".tsx") && !isLayout;
    return isPage ? [pattern || "/", ...children] : children;
  });
}

function whoSees(path: string): ListedPage["who"] {
  return ROLES.find(([pattern]) => pattern.test(path))?.[1] ?? "visitor";
}
