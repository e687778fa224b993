/**
 * Returns whether the request is only a look: a HEAD, or a browser's prefetch or prerender, which sends cookies without
 * anybody having followed the link. Such a request must change nothing.
 */
export function isSpeculative(request: Request): boolean {
  const purpose = request.headers.get("Sec-Purpose") ?? request.headers.get("Purpose") ?? "";
  return request.method === "HEAD" || purpose.includes("prefetch");
}

/**
 * Refuses a speculative request, so that the browser sends it again when the person follows the link. Not 503, as if we
 * were down.
 */
export function refuseSpeculative(): Response {
  return new Response(null, { status: 403, headers: { "Cache-Control": "no-store" } });
}
