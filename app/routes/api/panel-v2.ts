import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readApiRequest } from "#app/http/requests/api-request.ts";
import { json } from "#app/http/responses/api-response.ts";
import { encodedJson } from "#app/http/responses/encoded-json.ts";
import { authorizeRequest } from "#app/orders/api/api-gate.server.ts";
import { ERRORS } from "#app/orders/api/api-responses.server.ts";
import { PANEL_ACTIONS, panelActionOf, runPanelAction } from "#app/orders/api/panel-actions.server.ts";
import { dispatchSoon, submitSoon } from "#app/orders/fulfillment/wake-dispatchers.server.ts";

/** Serves the panel convention: every error but 429 and 405 is HTTP 200 with `{"error": text}` and no other key. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const read = await readApiRequest(request);
  if (!read.ok && read.key === null) return json({ error: read.text });
  const name = read.ok ? panelActionOf(read.fields) : null;
  const scope = name === null ? "read" : PANEL_ACTIONS[name];
  const { headers, ...gate } = await authorizeRequest(context, request, read.key, scope);
  if (!gate.ok) {
    return json({ error: gate.error.text }, { status: gate.error.status === 429 ? 429 : 200, headers });
  }
  if (!read.ok) return json({ error: read.text }, { headers });
  if (name === null) return json({ error: ERRORS.incorrect_request.text }, { headers });
  const result = await runPanelAction(context, gate, name, read);
  if (!result.ok) return json({ error: result.text }, { headers });
  if (result.placed) submitSoon(context, result.placed);
  if (name === "refill" || name === "cancel") dispatchSoon(context);
  return "json" in result
    ? encodedJson(request, result.json, { ...headers, ...result.headers })
    : json(result.body, { headers: { ...headers, ...result.headers } });
}

export const loader = allowPostOnly;
