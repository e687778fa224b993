import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "#workers/app.ts";
import { SAME_SITE, SITE } from "./workerd/all-routes.ts";

/**
 * Sends the worker a request as a browser does, with this main database, and waits for what follows the response. `body`: a
 * form, or JSON as text. `answered` is called once the response is read.
 */
export async function openPage(
  path: string,
  { cookie, database, body }: { cookie: string; database: D1Database; body?: URLSearchParams | string },
  answered: () => void = () => {},
) {
  const context = createExecutionContext();
  const headers = {
    ...SAME_SITE,
    ...(cookie && { Cookie: cookie }),
    ...(typeof body === "string" && { "Content-Type": "application/json" }),
  };
  const method = body === undefined ? "GET" : "POST";
  const request = new Request(SITE + path, { method, headers, body, redirect: "manual" });
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], { ...env, DB: database }, context);
  const text = await response.text();
  answered();
  await waitOnExecutionContext(context);
  return { status: response.status, headers: response.headers, text };
}
