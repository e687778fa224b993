import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { cancelFactorAlert, startFactorAlert } from "#app/accounts/devices/factor-alert.server.ts";
import { recordAddedFactor } from "#app/accounts/factors/factor-changes.server.ts";
import { REGISTRATION_ERRORS, registerPasskey } from "#app/accounts/factors/passkeys.server.ts";
import { passkeyProofInput } from "#app/accounts/forms/account-input.ts";
import { readJson } from "#app/accounts/session/token-responses.server.ts";
import {
  passkeyNotFound,
  passkeyRefusedResponse,
  passkeyResponse,
} from "#app/accounts/sign-in/passkey-responses.server.ts";
import { requireProvenTokenViewer } from "#app/accounts/step-up/token-viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";

/**
 * Stores a new passkey under the device's name. It is not asked for after the password: this client couldn't use it
 * there, and would show no recovery codes. The two-step login page can turn that on.
 */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJson(request, passkeyProofInput);
  if (!body.ok) return body.response;
  const viewer = await requireProvenTokenViewer(request, context);
  const { challenge_id: challengeId, credential } = body.input;
  const { sessionId } = viewer;
  const visit = await readVisit(context, request);
  const name = visit.device;
  const passkey = { challengeId, credential, browser: sessionId, name, isSecondFactor: false, sessionId };
  const alert = await startFactorAlert(context.db, viewer.userId);
  const added = await registerPasskey(context, visit, viewer.userId, passkey);
  if (!added.ok) {
    await cancelFactorAlert(context.db, alert);
    return passkeyRefusedResponse(added.reason, REGISTRATION_ERRORS[added.reason]);
  }
  const { passkeys } = await recordAddedFactor(
    { context, visit, viewer },
    { factor: { kind: "passkey", name }, alert },
  );
  const stored = passkeys.find(({ id }) => id === added.passkeyId);
  return stored ? passkeyResponse(stored) : passkeyNotFound();
}

export const loader = allowPostOnly;
