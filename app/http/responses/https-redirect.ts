import { isLoopback } from "#app/cookie-names.ts";

/** Paths that programs call. They are not redirected: a key that was sent in the clear must not seem to work. */
const FOR_PROGRAMS = /^\/(api\/(?!docs)|auth\/v1\/|functions\/|stripe\/|email\/)/i;

/**
 * Returns the response to a request over plain http, or null if the request may be answered: pages redirect to https
 * (308 keeps the method and the body), programs get an error. A local copy is served over http.
 */
export function redirectToHttps(request: Request, env: Pick<Env, "ENVIRONMENT">): Response | null {
  const url = new URL(request.url);
  if (url.protocol !== "http:" || isLoopback(url.hostname) || env.ENVIRONMENT === "local") return null;
  if (FOR_PROGRAMS.test(url.pathname)) {
    return Response.json({ error: "Use https" }, { status: 403, headers: { "Cache-Control": "no-store" } });
  }
  url.protocol = "https:";
  url.port = "";
  return new Response(null, { status: 308, headers: { Location: url.href, "Cache-Control": "no-store" } });
}
