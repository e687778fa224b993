import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { resultPath } from "#app/gmail/connect/callback-page.ts";
import { readGmailCaller, startConnectionFor } from "#app/gmail/connect/gmail-caller.server.ts";
import { isSpeculative, refuseSpeculative } from "#app/http/requests/speculative-request.ts";

/** Redirects to Google on the same page, where popups are blocked or scripts do not run. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  if (isSpeculative(request)) return refuseSpeculative();
  const viewer = await readViewer(request, context);
  const caller = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  const started = await startConnectionFor({ request, context }, caller, "page");
  return redirect(started.ok ? started.authUrl : resultPath(started.fault), { headers: caller.headers });
}
