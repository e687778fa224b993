const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Returns whether another site's page made this state-changing request in the visitor's browser, using its cookies.
 * Exempts /api/, which reads a key from the request and no cookie.
 */
export function isCrossSiteWrite(request: Request): boolean {
  if (SAFE_METHODS.has(request.method) || new URL(request.url).pathname.startsWith("/api/")) return false;
  const origin = request.headers.get("Origin");
  if (origin !== null) return origin !== new URL(request.url).origin;
  const site = request.headers.get("Sec-Fetch-Site");
  return site !== null && site !== "same-origin" && site !== "none";
}

/**
 * Returns the request without an `Origin` of another site, and without `X-Forwarded-Host`. Remix compares them once more,
 * also on reads and on /api/, and responds 500.
 */
export function withoutForeignOrigin(request: Request): Request {
  const origin = request.headers.get("Origin");
  const isForeign = origin !== null && origin !== new URL(request.url).origin;
  if (!isForeign && !request.headers.has("X-Forwarded-Host")) return request;
  const headers = new Headers(request.headers);
  if (isForeign) headers.delete("Origin");
  headers.delete("X-Forwarded-Host");
  return new Request(request, { headers });
}
