import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { endWebSession } from "#app/accounts/session/viewer.server.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";

export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST"]);
  return redirect("/", { headers: { "Set-Cookie": await endWebSession(context, request) } });
}

export function loader() {
  return redirect("/");
}
