import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readApiRequest } from "#app/http/requests/api-request.ts";
import { json } from "#app/http/responses/api-response.ts";
import { encodedJson } from "#app/http/responses/encoded-json.ts";
import { authorizeRequest } from "#app/orders/api/api-gate.server.ts";
import { pricedStatusBody } from "#app/orders/api/api-responses.server.ts";
import { PANEL_ACTIONS, type PanelAction, runPanelAction } from "#app/orders/api/panel-actions.server.ts";
import { submitSoon } from "#app/orders/fulfillment/wake-dispatchers.server.ts";

const ACTIONS: ReadonlyMap<string, { get: PanelAction; post: PanelAction }> = new Map([
  ["/api/services", { get: "services", post: "services" }],
  ["/api/balance", { get: "balance", post: "balance" }],
  ["/api/status", { get: "status", post: "status" }],
  ["/api/order", { get: "status", post: "add" }],
]);

/** Serves `/api/services`, `/api/balance`, `/api/status` and `/api/order`: panel bodies with real status codes. */
async function respond({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["GET", "POST"]);
  const path = new URL(request.url).pathname.replace(/\/$/, "");
  // Remix also finds this route under other spellings, such as "/API/balance". What is meant must not be guessed.
  const action = ACTIONS.get(path)?.[request.method === "POST" ? "post" : "get"];
  if (!action)
    return json(
      { error: `There is nothing at this address. Did you mean ${[...ACTIONS.keys()].join(", ")}?` },
      { status: 404 },
    );
  const read = await readApiRequest(request);
  if (!read.ok && read.key === null) return json({ error: read.text }, { status: read.status });
  const { headers, ...gate } = await authorizeRequest(context, request, read.key, PANEL_ACTIONS[action]);
  if (!gate.ok) return json({ error: gate.error.text }, { status: gate.error.status, headers });
  if (!read.ok) return json({ error: read.text }, { status: read.status, headers });
  const result = await runPanelAction(context, gate, action, read, pricedStatusBody);
  if (!result.ok) return json({ error: result.text }, { status: result.status, headers });
  if (result.placed) submitSoon(context, result.placed);
  return "json" in result
    ? encodedJson(request, result.json, { ...headers, ...result.headers })
    : json(result.body, { headers: { ...headers, ...result.headers } });
}

export const action = respond;
export const loader = (args: LoaderFunctionArgs) => respond(args);
