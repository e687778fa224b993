import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { setFavorite } from "#app/orders/catalog/favorites.server.ts";
import { readOffer } from "#app/orders/catalog/offers.server.ts";

/** The service as it can be ordered this moment; null when it no longer can. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireViewer(request, context);
  return { offer: await readOffer(context.db, requireId(params.id)) };
}

/** Makes it a favorite, or not any more. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const id = requireId(params.id);
  const wanted = (await readForm(request)).get("wanted") === "true";
  if (!(await setFavorite(context.db, userId, id, wanted))) throw new Response(null, { status: 404 });
  return { favorite: wanted };
}
