/** The longest address that Remix asks by has room for fewer links of our pages. Each is matched against every route. */
const MAX_PATHS = 400;

/**
 * Returns the URL of a request for the routes of some paths with less work in it, or null if more is left than a page of
 * ours asks for. Remix looks each path up, and every path above it. A path is cut behind the depth of the `deepest` route,
 * where the same routes match (CVE-2026-55685, which Remix 2 has no fix for).
 */
export function boundedManifestUrl(url: URL, deepest: number): URL | null {
  const paths = new Set<string>();
  for (const path of url.searchParams.getAll("p")) {
    const segments = path.replace(/^\//, "").split("/", deepest + 1);
    paths.add(`/${segments.join("/")}`);
  }
  if (lookUps(paths) > MAX_PATHS) return null;
  const bounded = new URL(url);
  bounded.searchParams.delete("p");
  for (const path of paths) bounded.searchParams.append("p", path);
  return bounded;
}

/** Returns how many paths Remix looks up for these: themselves and those above them. */
export function lookUps(paths: Iterable<string>): number {
  const all = new Set<string>();
  for (const path of paths) {
    const segments = path.split("/").slice(1);
    for (let depth = 1; depth <= segments.length; depth++) all.add(segments.slice(0, depth).join("/"));
  }
  return all.size;
}
