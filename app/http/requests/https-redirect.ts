import { isLoopback } from "#app/cookie-names.ts";

/**
 * Returns the redirect to https for a request over plain http, or null if the request may be answered. 308 keeps the
 * method and the body. A local copy is served over http.
 */
export function redirectToHttps(request: Request, env: Pick<Env, "ENVIRONMENT">): Response | null {
  const url = new URL(request.url);
  if (url.protocol !== "http:" || isLoopback(url.hostname) || env.ENVIRONMENT === "local") return null;
  url.protocol = "https:";
  url.port = "";
  return new Response(null, { status: 308, headers: { Location: url.href, "Cache-Control": "no-store" } });
}
