import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";

const availability = z.object({ isAway: z.boolean() });

/** Has the caller get no new conversations in turn, or get them again. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const { userId } = await requireStaffCall(request, context);
  const parsed = availability.safeParse(body);
  if (!parsed.success) return Response.json({ error: "invalid_availability" }, { status: 422 });
  await context.env.SUPPORT_DESK.getByName(DESK_NAME).setAway(userId, parsed.data.isAway);
  return new Response(null, { status: 204 });
}

export const loader = allowPostOnly;
