import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { DESK_NAME } from "#app/support/identity.ts";

/** Whether anybody of the team has a console open. An open panel asks once a minute. */
export async function loader({ context }: LoaderFunctionArgs) {
  const online = (await context.env.SUPPORT_DESK.getByName(DESK_NAME).agents()) > 0;
  return Response.json({ online }, { headers: { "Cache-Control": "no-store" } });
}
