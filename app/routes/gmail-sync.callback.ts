import { type LoaderFunctionArgs, redirect } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/viewer.server.ts";
import { backToAppPage, popupPage, resultPath } from "#app/mail/callback-page.ts";
import { completeConnection, modeOf } from "#app/mail/connect.server.ts";
import { readBrowser, readMailCaller } from "#app/mail/connect-requests.server.ts";
import stylesUrl from "../styles.css?url";

/** Where Google sends the person back to: in its own window, in this one, or in the system's browser beside the app. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { origin, searchParams: params, search } = new URL(request.url);
  const mode = await modeOf(context.db, params.get("state"));
  const browser = await readBrowser(request);
  const page = { nonce: context.nonce, stylesUrl };
  if (mode === "app" && browser === null) return answer(backToAppPage(search, page), new Headers());
  const viewer = await readViewer(request, context);
  const { owner, headers } = await readMailCaller({ request, context }, viewer?.userId ?? null);
  const fault = await completeConnection(context.db, context.env, { owner, browser, origin, params });
  if (mode === "page" || mode === "app") return redirect(resultPath(fault), { headers });
  return answer(popupPage(fault, page), headers);
}

function answer(html: string, headers: Headers): Response {
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  // Any other value cuts this window off from the page that opened it.
  headers.set("Cross-Origin-Opener-Policy", "unsafe-none");
  return new Response(html, { headers });
}
