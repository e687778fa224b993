import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { signUpInput } from "#app/accounts/forms/account-input.ts";
import { errorResponse, readJson } from "#app/accounts/session/token-responses.server.ts";
import { signUp } from "#app/accounts/sign-in/sign-in.server.ts";
import { signedInResponse } from "#app/accounts/sign-in/signed-in-response.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { ownPath } from "#app/http/requests/safe-path.ts";

const { fullName, email, password } = signUpInput.shape;
const input = z.object({ email, password, data: z.object({ full_name: fullName }).default({ full_name: "" }) });

export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJson(request, input);
  if (!body.ok) return body.response;
  const { data, ...credentials } = body.input;
  const visit = await readVisit(context, request);
  const next = ownPath(new URL(request.url).searchParams.get("redirect_to"), visit.origin);
  const result = await signUp(context, visit, { ...credentials, fullName: data.full_name, next });
  if (!result.ok) {
    const { status, code, text, headers, weakPassword: weak_password } = result;
    return errorResponse(status, code, text, { headers, ...(weak_password && { weak_password }) });
  }
  return signedInResponse(context, visit, result);
}

export const loader = allowPostOnly;
