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
