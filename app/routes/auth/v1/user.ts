import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { nameInput, passwordChangeInput } from "#app/accounts/forms/account-input.ts";
import { WEAK_PASSWORD_REASONS } from "#app/accounts/password/password-texts.ts";
import {
  changeName,
  changePassword,
  PASSWORD_CHANGE_ERRORS,
  readAccount,
} from "#app/accounts/profile/profile.server.ts";
import { errorResponse, readJson, userResponse } from "#app/accounts/session/token-responses.server.ts";
import { readTokenViewer } from "#app/accounts/session/viewer.server.ts";
import { lacksFactorProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { noTokenViewer } from "#app/accounts/step-up/token-viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";

/** The email address is changed on the profile page, which asks for the password. */
const input = z.object({
  password: passwordChangeInput.shape.next.optional(),
  current_password: passwordChangeInput.shape.current.default(""),
  data: z.object({ full_name: nameInput.shape.fullName.unwrap() }).optional(),
});

const LOG_IN_AGAIN = "Log in again with a passkey, or change your password on the website.";
const HELD = "Set up a second step of your login first, on the website.";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await readTokenViewer(request, context);
  return viewer ? userResponse(await readAccount(context.db, viewer.userId)) : noTokenViewer(request, context);
}

/** Handles the client's `updateUser`: changes the name, and the password given the current one. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["GET", "PUT"]);
  const body = await readJson(request, input);
  const viewer = await readTokenViewer(request, context);
  if (!viewer) return noTokenViewer(request, context);
  if (viewer.isHeld) return errorResponse(403, "insufficient_aal", HELD);
  if (!body.ok) return body.response;
  const { password, current_password: current, data } = body.input;
  if (password !== undefined) {
    if (await lacksFactorProof(context.db, viewer)) return errorResponse(400, "reauthentication_needed", LOG_IN_AGAIN);
    const visit = await readVisit(context, request);
    const changed = await changePassword(context, visit, viewer, { current, next: password });
    if (!changed.ok) {
      switch (changed.reason) {
        case "too_many":
          return errorResponse(429, "over_request_rate_limit", changed.text, { headers: changed.headers });
        case "wrong_password":
          return errorResponse(400, "invalid_credentials", PASSWORD_CHANGE_ERRORS[changed.reason]);
        case "common_password":
        case "context_password":
        case "breached_password":
          return errorResponse(422, "weak_password", PASSWORD_CHANGE_ERRORS[changed.reason], {
            weak_password: WEAK_PASSWORD_REASONS[changed.reason],
          });
      }
      changed satisfies never;
    }
  }
  if (data) await changeName(context.db, viewer.userId, data.full_name);
  return userResponse(await readAccount(context.db, viewer.userId));
}
