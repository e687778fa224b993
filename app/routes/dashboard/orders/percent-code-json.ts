import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { checkCode } from "#app/orders/placing/codes/check-code.server.ts";

export const loader = allowPostOnly;

/** Tells the order form what a typed percent code takes off. By POST, so that no log has the code in a URL. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const form = await readForm(request);
  const { userId } = await requireViewer(request, context);
  return Response.json(await checkCode(context.db, request, userId, formText(form, "code")), {
    headers: { "Cache-Control": "private, no-store" },
  });
}
