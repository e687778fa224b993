import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireRole } from "#app/accounts/session/viewer.server.ts";

/** Keeps the console's navigation on addresses below /admin that lead nowhere: the layout shows the error. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  throw new Response(null, { status: 404 });
}

export async function action({ request, context }: ActionFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  throw new Response(null, { status: 404 });
}

export default function ConsoleNotFoundPage() {
  return null;
}
