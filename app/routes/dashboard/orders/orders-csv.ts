import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { pageOfExport } from "#app/http/requests/safe-path.ts";
import { csvAttachment } from "#app/http/responses/csv-attachment.ts";
import { exportOrdersCsv } from "#app/orders/list/order-export.server.ts";
import { ORDER_FILTERS } from "#app/orders/list/order-list.server.ts";
import { CURRENCY } from "#app/product.ts";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await requireViewer(request, context);
  requireRecentProof(request, viewer, pageOfExport(request, "/dashboard/orders"));
  const { searchParams } = new URL(request.url);
  const filter = oneOf(ORDER_FILTERS, searchParams.get("status"));
  const { between } = readDayRange(searchParams);
  return csvAttachment("growline-orders", exportOrdersCsv(context.db, viewer.userId, filter, CURRENCY, between));
}
