import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readForViewer } from "#app/accounts/session/viewer.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { respondIfChanged } from "#app/http/responses/conditional.ts";
import { liveOrdersOf, selectLiveOrders } from "#app/orders/list/order-rows.server.ts";

/** Returns the current status of the orders `ids`, or 304 if it is unchanged. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const requested = new URL(request.url).searchParams.get("ids")?.split(",") ?? [];
  const ids = requested.map(parseId).filter((id) => id !== null);
  const live = await readForViewer(request, context, (userId) => selectLiveOrders(context.db, userId, ids));
  return respondIfChanged(request, JSON.stringify(liveOrdersOf(live)), {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-cache",
  });
}
