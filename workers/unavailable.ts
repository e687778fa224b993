import type { AppLoadContext, ServerBuild } from "@remix-run/cloudflare";
import { errorResponse } from "#app/accounts/session/token-responses.server.ts";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { firstLine, log } from "#app/http/log.ts";
import { json, problem } from "#app/http/responses/api-response.ts";
import { ERRORS } from "#app/orders/api/api-responses.server.ts";

const { text: TEXT } = ERRORS.unavailable;

type Handler = NonNullable<ServerBuild["routes"][string]["module"]["loader"]>;

/**
 * Returns the build with routes that answer 503 when a database is unavailable: pages by the error page, the others in the
 * shape of their errors.
 */
export function answeringUnavailable(build: ServerBuild): ServerBuild {
  const routes = Object.entries(build.routes).map(([id, route]) => {
    const { loader, action } = route.module;
    const isPage = "default" in route.module && route.module.default !== undefined;
    const module = {
      ...route.module,
      ...(loader && { loader: guarded(loader, isPage) }),
      ...(action && { action: renewing(guarded(action, isPage)) }),
    };
    return [id, { ...route, module }];
  });
  return { ...build, routes: Object.fromEntries(routes) };
}

/**
 * Without scripts, the page's loaders follow in the same request. They may read although the action got no answer: its form
 * has the key with which it is safe to send again.
 */
function renewing(action: Handler): Handler {
  return async (args) => {
    const answer = await action(args);
    args.context.db.renewWait?.();
    return answer;
  };
}

function guarded(handler: Handler, isPage: boolean): Handler {
  return async (args) => {
    try {
      return await handler(args);
    } catch (thrown) {
      const { request, context } = args;
      const response = unavailableResponse(thrown, request, context);
      if (!response) throw thrown;
      // Remix shows the error page for what is thrown.
      if (isPage) throw new Response(TEXT, { status: 503 });
      return response;
    }
  };
}

/** Returns the 503 of a route that failed because a database is unavailable, or null for any other error. Logs the first. */
export function unavailableResponse(thrown: unknown, request: Request, context: AppLoadContext): Response | null {
  if (!isUnavailable(thrown)) return null;
  log("warn", "database unavailable", {
    request_id: context.requestId,
    route: context.route,
    error: firstLine(thrown),
  });
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/api/v1/")) {
    return problem({ status: 503, code: ERRORS.unavailable.code, title: TEXT }, context.requestId);
  }
  // The client keeps its session and repeats a refresh.
  if (pathname.startsWith("/auth/v1/")) return errorResponse(503, "unexpected_failure", TEXT);
  // A link or form without a page of its own, such as an export.
  if (request.headers.get("Accept")?.includes("text/html")) {
    return new Response(TEXT, { status: 503, headers: { "Cache-Control": "no-store" } });
  }
  return json({ error: TEXT }, { status: 503 });
}
