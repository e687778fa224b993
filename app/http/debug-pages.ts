/** Throws 404 where the debugging pages are switched off. */
export function requireDebugPages(env: Pick<Env, "ENVIRONMENT" | "DEBUG_PAGES">): void {
  if (env.ENVIRONMENT !== "local" && env.DEBUG_PAGES !== "on") throw new Response(null, { status: 404 });
}
