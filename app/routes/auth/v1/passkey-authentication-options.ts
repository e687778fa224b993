import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { TOKEN_CLIENT } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { readJson } from "#app/accounts/session/token-responses.server.ts";
import { challengeResponse } from "#app/accounts/sign-in/passkey-responses.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJson(request, z.object({}));
  if (!body.ok) return body.response;
  const visit = await readVisit(context, request);
  return challengeResponse(await passkeyOptions(context, visit, { purpose: "log_in" }, TOKEN_CLIENT));
}

export const loader = allowPostOnly;
