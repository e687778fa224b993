type OriginEnv = Pick<Env, "PUBLIC_ORIGIN" | "ENVIRONMENT">;

/**
 * Returns the origin for links that leave the site: in emails, checkout return URLs and OAuth redirects. It is the
 * setting PUBLIC_ORIGIN, because the sender of a request chooses its Host header. Only a local
 * copy may leave it unset, and falls back to the request's origin.
 */
export function publicOrigin(env: OriginEnv, request: Request): string {
  if (env.PUBLIC_ORIGIN) return new URL(env.PUBLIC_ORIGIN).origin;
  if (env.ENVIRONMENT !== "local") throw new Error("PUBLIC_ORIGIN is not set");
  return new URL(request.url).origin;
}
