/** Throws 404 if the debugging pages are turned off. */
export function requireDebugPages(env: Pick<Env, "ENVIRONMENT" | "DEBUG_PAGES">): void {
  if (env.ENVIRONMENT !== "local" && env.DEBUG_PAGES !== "on") throw new Response(null, { status: 404 });
}
