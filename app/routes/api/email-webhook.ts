import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { applyEmailEvent, isSignedEvent, parseEmailEvent } from "#app/email/email-events.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";

const MAX_BODY_BYTES = 262_144;

/** Receives events of the email API, which repeats them for any response but 2xx. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const secret = context.env.EMAIL_WEBHOOK_SECRET;
  if (!secret) return new Response(null, { status: 404 });
  const bytes = await readAtMost(request, MAX_BODY_BYTES);
  if (!bytes) return new Response(null, { status: 413 });
  const body = new TextDecoder().decode(bytes);
  if (!isSignedEvent(secret, body, request.headers)) {
    return new Response("The signature does not match", { status: 400 });
  }
  const event = parseEmailEvent(body);
  if (event) await applyEmailEvent(context.db, event);
  return new Response(null, { status: 204 });
}

export const loader = allowPostOnly;
