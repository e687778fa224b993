import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { withAnswerLimit } from "./limits/answer-limit.ts";
import { boundedManifestUrl } from "./limits/manifest-limit.ts";

type Handle = (request: Request, context: AppLoadContext) => Promise<Response>;

/** Asks for routes of any path. */
const MANIFEST = "__manifest";

/**
 * Returns Remix's request handler, which gives a request only the routes that the first segment of its path can lead to.
 * Remix matches each request against every route several times, on the way in and while rendering.
 */
export function pageHandler(given: ServerBuild): Handle {
  const build = withAnswerLimit(given);
  const deepest = Math.max(...Object.keys(build.routes).map((id) => pathOf(build, id).split("/").length));
  const segments = new Set(Object.keys(build.routes).map((id) => firstSegment(pathOf(build, id))));
  const handlers = new Map<string, Handle>();
  const everything = createRequestHandler(build, "production");
  return (request, context) => {
    const url = new URL(request.url);
    const segment = requestedSegment(url.pathname);
    if (segment === MANIFEST) return answerManifest(request, boundedManifestUrl(url, deepest), everything, context);
    if (segment === null) return everything(request, context);
    // One handler for all unknown segments, so that nobody can fill the map.
    const key = segments.has(segment) ? segment : "*";
    const handler = handlers.get(key) ?? createRequestHandler(withRoutesFor(build, key), "production");
    handlers.set(key, handler);
    return handler(request, context);
  };
}

async function answerManifest(request: Request, url: URL | null, handle: Handle, context: AppLoadContext) {
  if (url === null) return new Response("This request asks for too many paths.", { status: 400 });
  return handle(new Request(url, request), context);
}

/** Returns the build with the routes that a path with this first segment can match, and those of "/". */
export function withRoutesFor(build: ServerBuild, segment: string): ServerBuild {
  const kept = new Set<string>();
  for (const id of Object.keys(build.routes)) {
    const first = firstSegment(pathOf(build, id));
    // A page names the routes of "/" in its HTML, too.
    if (first !== "" && first !== segment && !/^[:*]/.test(first)) continue;
    for (let at: string | undefined = id; at !== undefined; at = build.routes[at]?.parentId) kept.add(at);
  }
  return {
    ...build,
    routes: only(build.routes, kept),
    assets: { ...build.assets, routes: only(build.assets.routes, kept) },
  };
}

function only<T>(all: Record<string, T>, kept: Set<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([id]) => kept.has(id)));
}

/** Returns the route's whole path, without a slash in front. */
function pathOf({ routes }: ServerBuild, id: string): string {
  const parts: string[] = [];
  for (let at = routes[id]; at; at = routes[at.parentId ?? ""]) if (at.path) parts.unshift(at.path);
  return parts.join("/");
}

/** React Router ignores case. */
function firstSegment(path: string): string {
  return (path.split("/")[0] ?? "").toLowerCase();
}

/** Returns the first segment of a path as routes name it, or null for a path that can't be decoded. */
export function requestedSegment(pathname: string): string | null {
  const path = pathname.slice(1).replace(/\.data$/, "");
  try {
    return decodeURIComponent(firstSegment(path)).toLowerCase();
  } catch {
    return null;
  }
}
