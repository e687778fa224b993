import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { applyStripeEvent } from "#app/orders/top-up/apply-stripe-event.server.ts";
import { acceptsCards, readStripeEvent } from "#app/orders/top-up/stripe-client.server.ts";

const MAX_BODY_BYTES = 262_144;

/** Receives Stripe events. Stripe retries any response but 2xx for three days. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  if (!acceptsCards(context.env)) return new Response(null, { status: 404 });
  const body = await readAtMost(request, MAX_BODY_BYTES);
  if (!body) return new Response(null, { status: 413 });
  const event = await readStripeEvent(
    context.env,
    new TextDecoder().decode(body),
    request.headers.get("Stripe-Signature"),
  );
  if (!event) return new Response("The signature does not match", { status: 400 });
  await applyStripeEvent(context.db, event);
  return new Response(null, { status: 204 });
}

export const loader = allowPostOnly;
