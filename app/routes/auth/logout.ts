import { type ActionFunctionArgs, redirect } from "@remix-run/cloudflare";
import { endWebSession } from "#app/accounts/session/viewer.server.ts";

export async function action({ request, context }: ActionFunctionArgs) {
  return redirect("/", { headers: { "Set-Cookie": await endWebSession(context, request) } });
}

export function loader() {
  return redirect("/");
}
