import type { ServerBuild } from "@remix-run/cloudflare";

/** Routes that the worker answers before Remix. */
const WORKER_ROUTES = ["admin/inbox/socket", "healthz", "readyz", "support/sessions/:id/socket", "__manifest"];
/** The route of every path that no other one matches. */
export const UNKNOWN_ROUTE = "/*";

type Node = { pattern?: string; fixed: Map<string, Node>; parameter?: Node; rest?: string };

/**
 * Returns a function that names the route of a path by its pattern, such as "/dashboard/orders/:id". Paths hold ids,
 * tokens and what strangers made up; patterns are few and say nothing about anybody.
 */
export function routePatterns(build: Pick<ServerBuild, "routes">): (pathname: string) => string {
  const root: Node = { pattern: "/", fixed: new Map() };
  for (const path of [...Object.keys(build.routes).map((id) => pathOf(build, id)), ...WORKER_ROUTES]) add(root, path);
  return (pathname) => {
    const path = pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    const segments = path.split("/").filter((segment) => segment !== "");
    return find(root, segments, 0) ?? UNKNOWN_ROUTE;
  };
}

function add(root: Node, path: string): void {
  let at = root;
  for (const segment of path.split("/").filter((one) => one !== "")) {
    if (segment === "*") {
      at.rest = `/${path}`;
      return;
    }
    const known: Node | undefined = segment.startsWith(":") ? at.parameter : at.fixed.get(segment.toLowerCase());
    const next: Node = known ?? { fixed: new Map() };
    if (segment.startsWith(":")) at.parameter = next;
    else at.fixed.set(segment.toLowerCase(), next);
    at = next;
  }
  at.pattern = `/${path}`;
}

function find(node: Node, segments: string[], from: number): string | undefined {
  const segment = segments[from];
  if (segment === undefined) return node.pattern ?? node.rest;
  const fixed = node.fixed.get(segment.toLowerCase());
  const found = fixed && find(fixed, segments, from + 1);
  return found ?? (node.parameter && find(node.parameter, segments, from + 1)) ?? node.rest;
}

function pathOf({ routes }: Pick<ServerBuild, "routes">, id: string): string {
  const parts: string[] = [];
  for (let at = routes[id]; at; at = routes[at.parentId ?? ""]) if (at.path) parts.unshift(at.path);
  return parts.join("/");
}
