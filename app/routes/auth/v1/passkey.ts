import type { ActionFunctionArgs, AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import { announceChange } from "#app/accounts/factors/factor-events.server.ts";
import { LAST_FACTOR } from "#app/accounts/factors/factor-texts.ts";
import { factorsOf, mustKeepFactor } from "#app/accounts/factors/factors.server.ts";
import { changePasskey } from "#app/accounts/factors/passkeys.server.ts";
import { removePasskey } from "#app/accounts/factors/remove-factor.server.ts";
import { newPasskeyInput } from "#app/accounts/forms/account-input.ts";
import { errorResponse, readJson } from "#app/accounts/session/token-responses.server.ts";
import { passkeyNotFound, passkeyResponse } from "#app/accounts/sign-in/passkey-responses.server.ts";
import { requireProvenTokenViewer } from "#app/accounts/step-up/token-viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { methodNotAllowed, requireMethod } from "#app/http/requests/allowed-methods.ts";

const METHODS = ["PATCH", "DELETE"] as const;
const input = z.object({ friendly_name: newPasskeyInput.shape.name });

/** Renames or removes a passkey of the account. */
export async function action({ request, context, params }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, METHODS);
  const { id = "" } = params;
  return request.method === "DELETE" ? remove(request, context, id) : rename(request, context, id);
}

export const loader = () => methodNotAllowed(METHODS);

async function rename(request: Request, context: AppLoadContext, id: string): Promise<Response> {
  const body = await readJson(request, input);
  if (!body.ok) return body.response;
  const viewer = await requireProvenTokenViewer(request, context);
  const { userId } = viewer;
  const { db } = context;
  if (!(await changePasskey(db, viewer, id, { name: body.input.friendly_name }))) return passkeyNotFound();
  const renamed = (await factorsOf(db, userId)).passkeys.find((passkey) => passkey.id === id);
  return renamed ? passkeyResponse(renamed) : passkeyNotFound();
}

async function remove(request: Request, context: AppLoadContext, id: string): Promise<Response> {
  const viewer = await requireProvenTokenViewer(request, context);
  const { userId } = viewer;
  const removed = await removePasskey(context.db, viewer, id, mustKeepFactor(context.env, viewer));
  if (!removed.ok) {
    return removed.reason === "unknown" ? passkeyNotFound() : errorResponse(422, "validation_failed", LAST_FACTOR);
  }
  const factor = { kind: "passkey", name: removed.name } as const;
  const visit = await readVisit(context, request);
  await announceChange(context, visit, userId, { kind: "factor_removed", factor });
  return new Response(null, { status: 204 });
}
