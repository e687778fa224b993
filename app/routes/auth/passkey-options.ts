import { type ActionFunctionArgs, data } from "@remix-run/cloudflare";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { readSecondStep } from "#app/accounts/sign-in/second-step.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";

/** Returns a challenge for a passkey, and what the browser needs to ask for it. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const purpose = formText(await readForm(request), "purpose");
  const { browser, cookie } = await browserOf(context.env, request);
  const options = await optionsFor(purpose);
  if (!options) throw data(null, 403);
  return Response.json(options, { headers: { "Set-Cookie": cookie, "Cache-Control": "no-store" } });

  async function optionsFor(wanted: string) {
    if (wanted === "log_in") return passkeyOptions(context, request, { purpose: "log_in" }, browser);
    if (wanted === "second_step") {
      const step = await readSecondStep(context, request);
      return step && passkeyOptions(context, request, { purpose: "second_step", userId: step.userId }, browser);
    }
    const viewer = await readHeldViewer(request, context);
    if (viewer && wanted === "confirm") {
      return passkeyOptions(context, request, { purpose: "confirm", userId: viewer.userId }, browser);
    }
    return viewer && wanted === "register" ? registrationOptions(context, request, viewer, browser) : null;
  }
}

export const loader = allowPostOnly;
