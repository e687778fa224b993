import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { pageBefore } from "#app/http/requests/safe-path.ts";
import { dismissalOf } from "#app/site-settings/site-notice.server.ts";

/** Hides an announcement in this browser and leads back to the page where it was. */
export async function action({ request }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const form = await readForm(request);
  const cookie = await dismissalOf(request, formText(form, "announcement"));
  if (cookie === null) throw new Response(null, { status: 400 });
  const back = pageBefore(request) ?? "/";
  return redirect(back, { status: 303, headers: { "Set-Cookie": cookie } });
}

export const loader = allowPostOnly;
