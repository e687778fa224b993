import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { nextOpening } from "#app/support/team/business-hours.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";

/** Returns whether an agent has a console open, and when business hours start. An open panel polls once a minute. */
export async function loader({ context }: LoaderFunctionArgs) {
  const online = (await context.env.SUPPORT_DESK.getByName(DESK_NAME).agents()) > 0;
  const backAt = online ? null : nextOpening(await readSettings(context.replicaDb), Date.now());
  return Response.json({ online, backAt }, { headers: { "Cache-Control": "no-store" } });
}
