import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { pageOfExport } from "#app/http/requests/safe-path.ts";
import { csvAttachment } from "#app/http/responses/csv-attachment.ts";
import { exportLedgerCsv } from "#app/orders/wallet/ledger-export.server.ts";
import { CURRENCY } from "#app/product.ts";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await requireViewer(request, context);
  requireRecentProof(request, viewer, pageOfExport(request, "/dashboard/transactions"));
  return csvAttachment("growline-transactions", exportLedgerCsv(context.db, viewer.userId, CURRENCY));
}
