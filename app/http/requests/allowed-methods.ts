import type { HeadersFunction } from "@remix-run/cloudflare";
import { json } from "#app/http/responses/api-response.ts";

/** GET includes HEAD. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Creates the 405 response. The text names the allowed methods. */
export type RefuseMethod = (text: string, headers: { Allow: string }) => Response;

/**
 * Throws 405 with `Allow` unless the request uses one of the allowed methods. Every action starts with this or with
 * `readForm`, because Remix runs an action for POST, PUT, PATCH and DELETE alike.
 */
export function requireMethod(request: Request, allowed: readonly Method[], refuse: RefuseMethod = refuseInJson): void {
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (!allowed.some((name) => name === method)) throw methodNotAllowed(allowed, refuse);
}

/** Returns the 405 response of a URL that accepts only these methods. */
export function methodNotAllowed(allowed: readonly Method[], refuse: RefuseMethod = refuseInJson): Response {
  const names = allowed.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]));
  return refuse(`Use ${allowed.join(" or ")}`, { Allow: names.join(", ") });
}

/** The loader of a URL that accepts only POST. */
export function allowPostOnly(): Response {
  return methodNotAllowed(["POST"]);
}

/** The headers of a route with an error page of its own, which is the response to a 405 that an action below it threw. */
export const headersOfError: HeadersFunction = ({ errorHeaders }) => {
  const allow = errorHeaders?.get("Allow");
  return allow ? { Allow: allow } : new Headers();
};

/** Adds the `Allow` header that Remix omits if a route has no action. */
export function completeMethodNotAllowed(request: Request, response: Response): void {
  const isOfRemix = response.status === 405 && !response.headers.has("Allow");
  if (isOfRemix && request.method !== "OPTIONS") response.headers.set("Allow", "GET, HEAD");
}

function refuseInJson(error: string, headers: { Allow: string }): Response {
  return json({ error }, { status: 405, headers });
}
