import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { requestResetInput } from "#app/accounts/forms/account-input.ts";
import { requestReset } from "#app/accounts/recovery/password-reset.server.ts";
import { errorResponse, readJson } from "#app/accounts/session/token-responses.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJson(request, requestResetInput);
  if (!body.ok) return body.response;
  const visit = await readVisit(context, request);
  const requested = await requestReset(context, visit, body.input.email);
  if (!requested.ok)
    return errorResponse(429, "over_email_send_rate_limit", requested.text, { headers: requested.headers });
  return Response.json({});
}

export const loader = allowPostOnly;
