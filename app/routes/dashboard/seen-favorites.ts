import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { noteSeenFavorites } from "#app/orders/catalog/favorites.server.ts";

/** Dismisses the changes of favorites that a page showed. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const form = await readForm(request);
  const { userId } = await requireViewer(request, context);
  await noteSeenFavorites(context.db, userId, formText(form, "seen"));
  return redirect(`/dashboard?${new URLSearchParams(formText(form, "search"))}`.replace(/\?$/, ""));
}

export const loader = allowPostOnly;
