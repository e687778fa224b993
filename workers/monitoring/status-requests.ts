import type { AppLoadContext } from "@remix-run/cloudflare";
import { readHeldViewer, sendsSession } from "#app/accounts/session/viewer.server.ts";
import { within } from "#app/http/within.ts";
import { CHECK_LIMIT_MS } from "#app/monitoring/health/health-checks.ts";

const STATUS_PATH = "/status";

/**
 * Returns the request of the status page without its session while the database doesn't answer: nobody can be told from a
 * stranger then, and customers must read what is down. Returns any other request as it is.
 */
export async function readableStatus(request: Request, { pathname }: URL, context: AppLoadContext): Promise<Request> {
  if (pathname !== STATUS_PATH || request.method !== "GET" || !sendsSession(request)) return request;
  // The page doesn't read it again.
  const read = readHeldViewer(request, context).then(
    () => true,
    () => false,
  );
  return (await within(CHECK_LIMIT_MS, read)) ? request : withoutSession(request);
}

function withoutSession(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("Cookie");
  headers.delete("Authorization");
  return new Request(request, { headers });
}
