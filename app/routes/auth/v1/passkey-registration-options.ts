import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { REGISTRATION_ERRORS, registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { readJson } from "#app/accounts/session/token-responses.server.ts";
import { challengeResponse, passkeyRefusedResponse } from "#app/accounts/sign-in/passkey-responses.server.ts";
import { requireProvenTokenViewer } from "#app/accounts/step-up/token-viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJson(request, z.object({}));
  if (!body.ok) return body.response;
  const viewer = await requireProvenTokenViewer(request, context);
  if (!viewer.emailConfirmed) return passkeyRefusedResponse("email_unconfirmed", REGISTRATION_ERRORS.email_unconfirmed);
  // The session stands for the browser, so that another session can't use the challenge.
  const visit = await readVisit(context, request);
  return challengeResponse(await registrationOptions(context, visit, viewer, viewer.sessionId));
}

export const loader = allowPostOnly;
