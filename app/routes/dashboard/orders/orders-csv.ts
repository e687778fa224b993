import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { csvAttachment } from "#app/http/responses/csv-attachment.ts";
import { exportOrdersCsv } from "#app/orders/list/order-export.server.ts";
import { ORDER_FILTERS } from "#app/orders/list/order-list.server.ts";
import { CURRENCY } from "#app/product.ts";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const filter = oneOf(ORDER_FILTERS, searchParams.get("status"));
  const { between } = readDayRange(searchParams);
  return csvAttachment("growline-orders", exportOrdersCsv(context.db, userId, filter, CURRENCY, between));
}
