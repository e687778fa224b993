import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/viewer.server.ts";
import { readMailCaller } from "#app/mail/connect-requests.server.ts";
import { readMailbox } from "#app/mail/mailbox.server.ts";

/** Whether the caller's mailbox is connected, and since when: what a page asks after Google's window has closed. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readMailCaller({ request, context }, viewer?.userId ?? null);
  const { connected, connectedAt, progress } = await readMailbox(context.db, owner);
  return Response.json({ connected, connectedAt, progress }, { headers });
}
