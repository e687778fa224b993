import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { TOKEN_CLIENT } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyProofInput } from "#app/accounts/forms/account-input.ts";
import { errorResponse, readJson } from "#app/accounts/session/token-responses.server.ts";
import { passkeyRefusedResponse } from "#app/accounts/sign-in/passkey-responses.server.ts";
import { logInByPasskey } from "#app/accounts/sign-in/second-step.server.ts";
import { signedInResponse } from "#app/accounts/sign-in/signed-in-response.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJson(request, passkeyProofInput);
  if (!body.ok) return body.response;
  const { challenge_id: challengeId, credential } = body.input;
  const proof = { challengeId, credential, browser: TOKEN_CLIENT };
  const visit = await readVisit(context, request);
  const result = await logInByPasskey(context, visit, proof);
  if (result.ok) return signedInResponse(context, visit, result);
  if (result.reason === "suspended") return errorResponse(result.status, "user_banned", result.text);
  return passkeyRefusedResponse(result.reason, result.text);
}

export const loader = allowPostOnly;
