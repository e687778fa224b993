import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { exportAuditLog } from "#app/console/audit/audit-log.server.ts";
import { exportQuarantine } from "#app/console/catalog/imports/quarantine-page.server.ts";
import { exportProviders } from "#app/console/catalog/services/provider-export.server.ts";
import { exportServices } from "#app/console/catalog/services/table/service-list.server.ts";
import { exportEntries } from "#app/console/customers/customer-entries.server.ts";
import { exportCustomers } from "#app/console/customers/customer-list.server.ts";
import { exportPayments } from "#app/console/customers/payment-list.server.ts";
import { exportTierServices } from "#app/console/customers/tiers/tier-services.server.ts";
import { exportCodes } from "#app/console/money/codes/batch-codes.server.ts";
import { exportStaffOrders } from "#app/console/orders/list/staff-order-page.server.ts";
import { exportWaitingCancellations, exportWaitingRefills } from "#app/console/orders/queue/queue-export.server.ts";
import { RESOURCE_EXPORTS } from "#app/console/stores/all-stores.server.ts";
import { exportEmails } from "#app/console/system/email-export.server.ts";
import { pageOfExport } from "#app/http/requests/safe-path.ts";
import { csvAttachment } from "#app/http/responses/csv-attachment.ts";
import { exportReport } from "#app/orders/reports/export-report.server.ts";
import { ownValue } from "#app/own-value.ts";

type Csv = ReadableStream<Uint8Array>;
type Db = LoaderFunctionArgs["context"]["db"];

/** The lists of the console that are exported, by the name in the URL. They take the parameters of their page. */
const LISTS: Record<string, (db: Db, searchParams: URLSearchParams) => Csv | Promise<Csv>> = {
  audit: exportAuditLog,
  cancellations: exportWaitingCancellations,
  codes: exportCodes,
  customers: exportCustomers,
  emails: exportEmails,
  entries: exportEntries,
  orders: exportStaffOrders,
  payments: exportPayments,
  providers: exportProviders,
  quarantine: exportQuarantine,
  refills: exportWaitingRefills,
  reports: exportReport,
  services: exportServices,
  "tier-services": exportTierServices,
  ...RESOURCE_EXPORTS,
};

export async function loader({ request, params, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await requireRole(request, context, "admin");
  const list = params.list ?? "";
  const exported = ownValue(LISTS, list);
  if (!exported) throw new Response(null, { status: 404 });
  requireRecentProof(request, viewer, pageOfExport(request, "/admin/today"));
  return csvAttachment(`growline-${list}`, await exported(context.db, new URL(request.url).searchParams));
}
