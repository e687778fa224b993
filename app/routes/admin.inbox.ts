import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireRole } from "#app/accounts/viewer.server.ts";
import { listConversations } from "#app/support/conversations.server.ts";

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  return Response.json(
    { conversations: await listConversations(context.db) },
    { headers: { "Cache-Control": "no-store" } },
  );
}
