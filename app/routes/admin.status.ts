import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { requireRole } from "#app/accounts/viewer.server.ts";

/** Closes the conversation, or opens it again. Its people hear of it from the room. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  const status = (await request.formData()).get("status");
  if (status !== "open" && status !== "closed") return new Response(null, { status: 400 });
  await context.env.SUPPORT_ROOM.getByName(params.id ?? "").setStatus(status);
  return new Response(null, { status: 204 });
}
