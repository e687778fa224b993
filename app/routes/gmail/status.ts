import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { readGmailCaller } from "#app/gmail/connect/gmail-caller.server.ts";
import { readMailbox } from "#app/gmail/mailbox/mailbox.server.ts";

/** Returns whether and since when the caller's mailbox is connected. The page requests it when Google's window closes. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  const { connected, connectedAt, progress } = await readMailbox(context.db, owner);
  return Response.json({ connected, connectedAt, progress }, { headers });
}
