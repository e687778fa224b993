import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { methodNotAllowed, type RefuseMethod, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readApiRequest } from "#app/http/requests/api-request.ts";
import { json, problem } from "#app/http/responses/api-response.ts";
import { authorizeRequest } from "#app/orders/api/api-gate.server.ts";
import { type ApiError, createdOrderBody } from "#app/orders/api/api-responses.server.ts";
import { order } from "#app/orders/api/panel-actions.server.ts";
import { submitSoon } from "#app/orders/fulfillment/wake-dispatchers.server.ts";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"], refuseMethod(context.requestId));
  const read = await readApiRequest(request);
  if (!read.ok && read.key === null) return refuseRequest(read, context.requestId);
  const { headers, ...gate } = await authorizeRequest(context, request, read.key, "order");
  if (!gate.ok) return refuse(gate.error, context.requestId, headers);
  if (!read.ok) return refuseRequest(read, context.requestId, headers);
  const result = await order(context, gate, read);
  if (!result.ok) return refuse(result, context.requestId, headers);
  if (result.placed) submitSoon(context, result.placed);
  return json(createdOrderBody(result.order), { status: 201, headers: { ...headers, ...result.headers } });
}

export function loader({ context }: LoaderFunctionArgs): Response {
  return methodNotAllowed(["POST"], refuseMethod(context.requestId));
}

function refuse(error: ApiError, requestId: string, headers: HeadersInit): Response {
  const { status, code, text, title, detail, field } = error;
  return problem({ status, code, title: title ?? text, detail, field }, requestId, headers);
}

function refuseRequest(read: { status: number; text: string }, requestId: string, headers?: HeadersInit): Response {
  return problem({ status: read.status, code: "invalid_request", title: read.text }, requestId, headers);
}

function refuseMethod(requestId: string): RefuseMethod {
  const title = "Place an order with POST";
  return (_, headers) => problem({ status: 405, code: "method_not_allowed", title }, requestId, headers);
}
