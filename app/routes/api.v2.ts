import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readApiRequest } from "#app/http/api-request.ts";
import { json } from "#app/http/api-response.ts";
import { answerPanel, PANEL_ACTIONS } from "#app/orders/api.server.ts";
import { submitOrder } from "#app/orders/submission.server.ts";

/** The panel convention: one address, and every error is HTTP 200 with `{"error": text}` and no other key. */
async function answer({ request, context }: ActionFunctionArgs): Promise<Response> {
  const read = await readApiRequest(request);
  if (!read.ok) return json({ error: read.text });
  const action = PANEL_ACTIONS.find((name) => name === read.fields.action);
  if (!action) return json({ error: "Incorrect request" });
  const result = await answerPanel(context.db, read, action, context.waitUntil);
  if (!result.ok) return json({ error: result.text });
  if (result.placed) context.waitUntil(submitOrder(context.db, context.env, result.placed.id));
  return json(result.body);
}

export const action = answer;
export const loader = (args: LoaderFunctionArgs) => answer(args);
