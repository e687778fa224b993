import { type ActionFunctionArgs, type AppLoadContext, data } from "@remix-run/cloudflare";
import { browserOf } from "#app/accounts/factors/passkey-challenges.server.ts";
import { passkeyOptions } from "#app/accounts/factors/passkey-check.server.ts";
import { registrationOptions } from "#app/accounts/factors/passkeys.server.ts";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { secondStepOf } from "#app/accounts/sign-in/log-in-door.server.ts";
import { readVisit, type Visit } from "#app/accounts/visit/visit.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";

/** Returns a challenge for a passkey, and what the browser needs to ask for it. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const purpose = formText(await readForm(request), "purpose");
  const visit = await readVisit(context, request);
  const { browser, cookie } = await browserOf(context.env, visit);
  if (purpose === "register") {
    const viewer = await readHeldViewer(request, context);
    return respond(viewer && (await registrationOptions(context, visit, viewer, browser)), cookie);
  }
  const use = await askedFor(purpose, context, visit, request);
  return respond(use && (await passkeyOptions(context, visit, use, browser)), cookie);
}

/** Returns what a passkey may be asked for here, or null. */
async function askedFor(purpose: string, context: AppLoadContext, visit: Visit, request: Request) {
  switch (purpose) {
    case "log_in":
      return { purpose } as const;
    case "second_step": {
      const step = await secondStepOf(request, context, visit);
      return step && ({ purpose, userId: step.userId } as const);
    }
    case "confirm": {
      const viewer = await readHeldViewer(request, context);
      return viewer && ({ purpose, userId: viewer.userId } as const);
    }
    default:
      return null;
  }
}

function respond(options: object | null, cookie: string): Response {
  if (!options) throw data(null, 403);
  return Response.json(options, { headers: { "Set-Cookie": cookie, "Cache-Control": "no-store" } });
}

export const loader = allowPostOnly;
