import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { backToAppPage, popupPage, resultPath } from "#app/gmail/connect/callback-page.ts";
import { readBrowser, readGmailCaller } from "#app/gmail/connect/gmail-caller.server.ts";
import { completeConnection, readPendingConnection } from "#app/gmail/connect/gmail-connection.server.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { isSpeculative, refuseSpeculative } from "#app/http/requests/speculative-request.ts";
import { SHELL_USER_AGENT } from "#app/http/web-view.ts";
import { APP_SCHEME } from "#app/native/shell/link-routing.ts";
import stylesUrl from "#app/styles.css?url";

/** Google redirects here: in its popup window, on the current page, or in the in-app browser above the app. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  if (isSpeculative(request)) return refuseSpeculative();
  const { searchParams: params, search } = new URL(request.url);
  const browser = await readBrowser(request);
  const pending = await readPendingConnection(context.db, { state: params.get("state"), browser });
  const inApp = request.headers.get("User-Agent")?.includes(SHELL_USER_AGENT) ?? false;
  const page = { nonce: context.nonce, stylesUrl };
  // The in-app browser may have a cookie of its own, from another connection, so the cookie alone doesn't decide.
  if (pending?.mode === "app" && !pending.here && !inApp) {
    return htmlResponse(backToAppPage(APP_SCHEME, search, page), new Headers());
  }
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readGmailCaller({ request, context }, viewer?.userId ?? null);
  const fault = await completeConnection(context.db, context.env, {
    owner,
    browser,
    origin: publicOrigin(context.env, request),
    params,
  });
  // The app's router follows a redirect, but can't show a page of its own.
  if (inApp || (pending && pending.mode !== "popup")) return redirect(resultPath(fault), { headers });
  return htmlResponse(popupPage(fault, page), headers);
}

function htmlResponse(html: string, headers: Headers): Response {
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  // Any other value cuts this window off from the page that opened it.
  headers.set("Cross-Origin-Opener-Policy", "unsafe-none");
  return new Response(html, { headers });
}
