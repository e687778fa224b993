import type { AppLoadContext, EntryContext } from "@remix-run/cloudflare";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToReadableStream } from "react-dom/server";
import { NonceProvider } from "#app/components/page/nonce.tsx";
import { log, logError } from "#app/http/log.ts";

/** Numbers follow the reader's locale. */
const BY_READER = "Accept-Language";

const ABORT_RENDER_MS = 10_000;

export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remix: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), ABORT_RENDER_MS);
  let statusCode = statusOf(status, remix);
  const body = await renderToReadableStream(
    <NonceProvider value={context.nonce}>
      <RemixServer context={remix} url={request.url} abortDelay={ABORT_RENDER_MS} nonce={context.nonce} />
    </NonceProvider>,
    {
      nonce: context.nonce,
      signal: abort.signal,
      onError(error: unknown) {
        statusCode = 500;
        logError("render failed", error, { request_id: context.requestId, route: context.route });
      },
    },
  );
  body.allReady.then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  );
  if (isbot(request.headers.get("user-agent"))) await body.allReady;
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.append("Vary", BY_READER);
  return new Response(body, { status: statusCode, headers });
}

/** Remix gives a page whose loader failed the status of the action before it. */
function statusOf(status: number, { staticHandlerContext: { errors } }: EntryContext): number {
  const [error] = Object.values(errors ?? {});
  if (error === undefined) return status;
  return isRouteErrorResponse(error) ? error.status : 500;
}

/** Handles data requests of client-side navigation. */
export function handleDataRequest(response: Response): Response {
  response.headers.append("Vary", BY_READER);
  return response;
}

export function handleError(error: unknown, { context }: { context: AppLoadContext }): void {
  const fields = { request_id: context.requestId, route: context.route };
  // Remix reports what it refuses itself, such as a foreign Origin, as an error too.
  if (isRouteErrorResponse(error)) log("info", "request refused", { ...fields, status: error.status });
  else logError("route failed", error, fields);
}
