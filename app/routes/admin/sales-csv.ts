import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { csvAttachment } from "#app/http/responses/csv-attachment.ts";
import { exportSalesCsv, SALES_SUBJECTS } from "#app/orders/sales/export-sales.server.ts";
import { MAX_DAYS, MAX_DAYS_BY_SUBJECT, readPeriod } from "#app/orders/sales/sales-period.ts";
import { CURRENCY } from "#app/product.ts";

/** Sales, costs and margins of a period by day, service, provider or customer. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const by = oneOf(SALES_SUBJECTS, searchParams.get("by"));
  const period = readPeriod(searchParams, Date.now(), by === "day" ? MAX_DAYS : MAX_DAYS_BY_SUBJECT);
  return csvAttachment(`growline-sales-by-${by}`, exportSalesCsv(context.db, by, period, CURRENCY));
}
