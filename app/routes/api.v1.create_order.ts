import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readApiRequest } from "#app/http/api-request.ts";
import { json, problem } from "#app/http/api-response.ts";
import { type ApiError, authorize, createdOrderBody, order } from "#app/orders/api.server.ts";
import { submitOrder } from "#app/orders/submission.server.ts";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed(context.requestId);
  const read = await readApiRequest(request);
  if (!read.ok) {
    return problem({ status: read.status, code: "invalid_request", title: read.text }, context.requestId);
  }
  const caller = await authorize(context.db, read.key, "order", context.waitUntil);
  if (!caller.ok) return refuse(caller, context.requestId);
  const result = await order(context.db, caller.userId, read);
  if (!result.ok) return refuse(result, context.requestId);
  if (result.placed) context.waitUntil(submitOrder(context.db, context.env, result.placed.id));
  const headers: HeadersInit = result.replayed ? { "Idempotent-Replayed": "true" } : {};
  return json(createdOrderBody(result.order), { status: 201, headers });
}

export function loader({ context }: LoaderFunctionArgs): Response {
  return methodNotAllowed(context.requestId);
}

function refuse({ status, code, text, title, field }: ApiError, requestId: string): Response {
  const headers: HeadersInit = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  return problem({ status, code, title: title ?? text, field }, requestId, headers);
}

function methodNotAllowed(requestId: string): Response {
  const title = "Place an order with POST";
  return problem({ status: 405, code: "method_not_allowed", title }, requestId, { Allow: "POST" });
}
