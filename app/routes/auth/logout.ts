import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { endWebSession } from "#app/accounts/session/viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";

export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST"]);
  const visit = await readVisit(context, request);
  return redirect("/", { headers: { "Set-Cookie": await endWebSession(context, visit) } });
}

export function loader() {
  return redirect("/");
}
