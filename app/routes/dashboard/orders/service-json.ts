import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { setFavorite } from "#app/orders/catalog/favorites.server.ts";
import { readOffer } from "#app/orders/catalog/offers.server.ts";

/** Returns the service as it is on sale for the customer, or null. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  return { offer: await readOffer(context.replicaDb, requireId(params.id), userId) };
}

/** Adds the service to the favorites or removes it. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { userId } = await requireViewer(request, context);
  const id = requireId(params.id);
  const wanted = form.get("wanted") === "true";
  if (!(await setFavorite(context.db, userId, id, wanted))) throw new Response(null, { status: 404 });
  return { favorite: wanted };
}
