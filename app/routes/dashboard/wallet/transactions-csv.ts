import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { csvAttachment } from "#app/http/responses/csv-attachment.ts";
import { exportLedgerCsv } from "#app/orders/wallet/ledger-export.server.ts";
import { CURRENCY } from "#app/product.ts";

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { userId } = await requireViewer(request, context);
  return csvAttachment("growline-transactions", exportLedgerCsv(context.db, userId, CURRENCY));
}
