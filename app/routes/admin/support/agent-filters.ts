import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { changeFilters, filterChangeSchema, listFilters } from "#app/support/inbox/saved-filters.server.ts";

/** Saves, renames or deletes one of the caller's own filters, and returns them all. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const { userId } = await requireStaffCall(request, context);
  const parsed = filterChangeSchema.safeParse(body);
  if (!parsed.success) return Response.json({ error: "invalid_filter" }, { status: 422 });
  const refusal = await changeFilters(context.db, userId, parsed.data);
  if (refusal) return Response.json({ error: refusal }, { status: 409 });
  return Response.json(await listFilters(context.db, userId), { headers: { "Cache-Control": "no-store" } });
}

export const loader = allowPostOnly;
