import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { checkMassOrder } from "#app/orders/mass/check-mass-order.server.ts";
import { MASS_FORM_LIMIT } from "#app/orders/mass/mass-lines.server.ts";

export const loader = allowPostOnly;

/** Checks the lines that the mass order's page has not checked yet. Places nothing. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  // Before, because the form may be large, and after, because its sender decides how long it takes.
  await requireViewer(request, context);
  const form = await readForm(request, MASS_FORM_LIMIT);
  const { userId } = await requireViewer(request, context);
  return Response.json(await checkMassOrder(context.db, userId, formText(form, "lines")), {
    headers: { "Cache-Control": "private, no-store" },
  });
}
