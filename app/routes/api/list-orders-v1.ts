import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readApiRequest } from "#app/http/requests/api-request.ts";
import { json, problem } from "#app/http/responses/api-response.ts";
import { authorizeRequest } from "#app/orders/api/api-gate.server.ts";
import { type ApiError, ERRORS, listedOrderBody } from "#app/orders/api/api-responses.server.ts";
import { listQuery } from "#app/orders/api/api-schema.server.ts";
import { listOwnOrders } from "#app/orders/api/own-orders.server.ts";

/** Lists the caller's own orders, newest first. A test key lists test orders. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { requestId, db } = context;
  const refuse = ({ status, code, text, title, field }: ApiError, headers?: HeadersInit) =>
    problem({ status, code, title: title ?? text, field }, requestId, headers);
  const read = await readApiRequest(request);
  if (!read.ok && read.key === null) return problem(unreadable(read), requestId);
  const { headers, ...gate } = await authorizeRequest(context, request, read.key, "read");
  if (!gate.ok) return refuse(gate.error, headers);
  if (!read.ok) return problem(unreadable(read), requestId, headers);
  const parsed = listQuery.safeParse(read.fields);
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? "");
    return refuse({ ...ERRORS.incorrect_request, title: `Incorrect ${field}`, field }, headers);
  }
  const { reference = null, status = null, cursor: before = null, limit } = parsed.data;
  const now = Date.now();
  const page = await listOwnOrders(db, gate.caller, { reference, status, before, limit });
  const next = page.next === null ? null : String(page.next);
  return json({ orders: page.orders.map((order) => listedOrderBody(order, now)), next_cursor: next }, { headers });
}

function unreadable({ status, text }: { status: number; text: string }) {
  return { status, code: "invalid_request", title: text };
}
