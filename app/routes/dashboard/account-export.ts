import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { exportAccount } from "#app/accounts/deletion/account-personal-data.server.ts";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { exportEmails } from "#app/email/email-personal-data.server.ts";
import { exportGmail } from "#app/gmail/gmail-personal-data.server.ts";
import { streamJson } from "#app/http/responses/stream-json.ts";
import { exportOrderData } from "#app/orders/export-order-data.server.ts";
import { exportDevices } from "#app/push/push-personal-data.server.ts";
import { exportConversation, exportFilters } from "#app/support/support-personal-data.server.ts";
import { exportUploads } from "#app/uploads/upload-personal-data.server.ts";

/** Returns the person's data as one JSON file; docs/personal-data.md says what it contains. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await requireViewer(request, context);
  requireRecentProof(request, viewer, "/dashboard/account");
  const { userId } = viewer;
  const visit = await readVisit(context, request);
  recordEvent(context, visit, userId, "data_exported");
  const { db, supportDb, env } = context;
  const [account, orders, support, gmail, uploads, emails, notifiedDevices, savedFilters] = await Promise.all([
    exportAccount(db, userId),
    exportOrderData(db, userId),
    exportConversation(supportDb, env.SUPPORT_ROOM, userId),
    exportGmail(db, userId),
    exportUploads(db, userId),
    exportEmails(db, userId),
    exportDevices(db, userId),
    exportFilters(db, userId),
  ]);
  const body = {
    exportedAt: new Date().toISOString(),
    ...account,
    ...orders,
    support,
    gmail,
    uploads,
    emails,
    notifiedDevices,
    savedFilters,
  };
  return new Response(streamJson(body), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="growline-data.json"',
      "Cache-Control": "no-store",
    },
  });
}
