import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { readGmailCaller, startConnectionFor } from "#app/gmail/connect/gmail-caller.server.ts";
import { connectMode } from "#app/gmail/connect/gmail-connection.server.ts";
import { connectFaultText } from "#app/gmail/connect/oauth-texts.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";

const input = z.object({ action: z.literal("get-auth-url"), mode: connectMode.default("popup") });

/** {action: "get-auth-url"} → {authUrl}, or {error} with a status that fits. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const parsed = input.safeParse(await readJsonBody(request));
  if (!parsed.success) return Response.json({ error: 'Send {"action": "get-auth-url"}' }, { status: 400 });
  const viewer = await readViewer(request, context);
  const caller = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  const started = await startConnectionFor({ request, context }, caller, parsed.data.mode);
  if (started.ok) return Response.json({ authUrl: started.authUrl }, { headers: caller.headers });
  const { fault, retryAfterSeconds } = started;
  if (retryAfterSeconds) caller.headers.set("Retry-After", String(retryAfterSeconds));
  const status = fault === "too_many" ? 429 : 503;
  return Response.json({ error: connectFaultText(fault) }, { status, headers: caller.headers });
}

export const loader = allowPostOnly;
