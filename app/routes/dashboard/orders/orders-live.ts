import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { respondIfChanged } from "#app/http/responses/conditional.ts";
import { readLiveOrders } from "#app/orders/list/order-rows.server.ts";

/** Returns the current status of the orders `ids`, or 304 if it is unchanged. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { userId } = await requireViewer(request, context);
  const requested = new URL(request.url).searchParams.get("ids")?.split(",") ?? [];
  const ids = requested.map(parseId).filter((id) => id !== null);
  const live = await readLiveOrders(context.db, userId, ids);
  return respondIfChanged(request, JSON.stringify(live), {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-cache",
  });
}
