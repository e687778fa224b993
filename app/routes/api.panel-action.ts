import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readApiRequest } from "#app/http/api-request.ts";
import { json } from "#app/http/api-response.ts";
import { answerPanel, type PanelAction } from "#app/orders/api.server.ts";
import { submitOrder } from "#app/orders/submission.server.ts";

const READS: Record<string, PanelAction> = {
  "/api/services": "services",
  "/api/balance": "balance",
  "/api/status": "status",
};

/** `/api/services`, `/api/balance`, `/api/status` and `/api/order`: the convention's bodies with real status codes. */
async function answer({ request, context }: ActionFunctionArgs): Promise<Response> {
  const path = new URL(request.url).pathname.replace(/\/$/, "");
  const action = READS[path] ?? (request.method === "POST" ? "add" : "status");
  const read = await readApiRequest(request);
  if (!read.ok) return json({ error: read.text }, { status: read.status });
  const result = await answerPanel(context.db, read, action, context.waitUntil);
  if (!result.ok) {
    const headers: HeadersInit = result.status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
    return json({ error: result.text }, { status: result.status, headers });
  }
  if (result.placed) context.waitUntil(submitOrder(context.db, context.env, result.placed.id));
  return json(result.body);
}

export const action = answer;
export const loader = (args: LoaderFunctionArgs) => answer(args);
