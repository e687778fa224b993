import { PRODUCT_NAME } from "#app/product.ts";
import { OAUTH_CHANNEL, oauthMessage } from "./oauth-messages.ts";
import { type ConnectFault, connectFaultText } from "./oauth-texts.ts";

/** Returns the page shown in Google's window. It reports the result to the opener and closes. */
export function popupPage(fault: ConnectFault | null, page: { nonce: string; stylesUrl: string }): string {
  const message = json(oauthMessage(fault));
  const script = `const message = ${message};
const channel = new BroadcastChannel(${json(OAUTH_CHANNEL)});
channel.postMessage(message);
if (window.opener) window.opener.postMessage(message, window.location.origin);
window.close();`;
  const text = fault === null ? "Gmail is connected. You can close this window." : connectFaultText(fault);
  return html(page, text, resultPath(fault), "Back to Gmail sync", script);
}

/**
 * Returns the page shown in the in-app browser after a connection started in the app. It opens the app by a link with
 * `scheme`, because only the app holds the cookie that completes the connection.
 */
export function backToAppPage(scheme: string, search: string, page: { nonce: string; stylesUrl: string }): string {
  const link = `${scheme}://gmail-sync/callback${search}`;
  return html(page, "You're done at Google.", link, `Back to ${PRODUCT_NAME}`, `location.href = ${json(link)};`);
}

/** Returns the path of the Gmail page with the result to show. */
export function resultPath(fault: ConnectFault | null): string {
  return `/gmail-sync?gmail=${fault ?? "connected"}`;
}

function html(
  page: { nonce: string; stylesUrl: string },
  text: string,
  href: string,
  label: string,
  script: string,
): string {
  return `<!doctype html>
<html lang="en" data-theme="dark">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Gmail sync · ${PRODUCT_NAME}</title>
<link rel="stylesheet" href="${escaped(page.stylesUrl)}"></head>
<body><main class="mx-auto max-w-prose px-4 py-20"><h1 class="text-2xl">Gmail sync</h1>
<p class="mt-3 text-muted">${escaped(text)}</p>
<p class="mt-6"><a class="underline underline-offset-4" href="${escaped(href)}">${escaped(label)}</a></p></main>
<script nonce="${escaped(page.nonce)}">try { document.documentElement.dataset.theme = localStorage.getItem("theme") === "light" ? "light" : "dark"; } catch {}
${script}</script></body>
</html>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Returns JSON that is safe inside a script element. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
