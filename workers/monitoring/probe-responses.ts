import type { ComponentHealth } from "./component-health.ts";

export const ALIVE_PATH = "/healthz";
export const READY_PATH = "/readyz";
/** `outgoing` of /readyz on a restored copy that isn't released. The smoke test then waits for no email. */
export const OUTGOING_HELD = "held";

/**
 * Answers the probes of load balancers and monitors, and returns null for any other path. /healthz touches nothing;
 * /readyz runs the checks, which an isolate keeps for some seconds.
 */
export async function answerProbe(
  { method }: Request,
  { pathname }: URL,
  env: Env,
  health: ComponentHealth,
): Promise<Response | null> {
  if (pathname !== ALIVE_PATH && pathname !== READY_PATH) return null;
  if (method !== "GET" && method !== "HEAD")
    return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  if (pathname === ALIVE_PATH) return respond(method, 200, { status: "ok" });
  const [checks, isHeld] = await Promise.all([health.checks(env), health.isHeld(env)]);
  const isReady = Object.values(checks).every(({ ok }) => ok);
  return respond(method, isReady ? 200 : 503, {
    status: isReady ? "ok" : "unavailable",
    ...(isHeld && { outgoing: OUTGOING_HELD }),
    checks,
  });
}

function respond(method: string, status: number, body: object): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return new Response(method === "HEAD" ? null : JSON.stringify(body), { status, headers });
}
