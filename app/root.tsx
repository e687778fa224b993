import sansUrl from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url";
import { data, type LinksFunction, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLoaderData,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import { KeepSession } from "#app/accounts/keep-session.tsx";
import { cookieSessionId, readViewer } from "#app/accounts/viewer.server.ts";
import { ErrorMessage } from "#app/components/error-message.tsx";
import { lastFailedRequestId } from "#app/components/failed-request.ts";
import { FlashToast } from "#app/components/flash-toast.tsx";
import { useNonce } from "#app/components/nonce.tsx";
import { Shell } from "#app/components/shell.tsx";
import { SET_THEME } from "#app/components/theme-toggle.tsx";
import { Toaster } from "#app/components/toast.tsx";
import { takeAlong } from "#app/mail/connect-requests.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { SupportWidget } from "#app/support/widget.tsx";
import stylesUrl from "./styles.css?url";

export const links: LinksFunction = () => [
  { rel: "preload", href: sansUrl, as: "font", type: "font/woff2", crossOrigin: "anonymous" },
  { rel: "stylesheet", href: stylesUrl },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
];

export const meta: MetaFunction = () => [{ title: PRODUCT_NAME }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await readViewer(request, context);
  const mailTaken = viewer && (await takeAlong({ request, context }, viewer.userId));
  const shown = {
    sessionId: viewer?.sessionId ?? null,
    sessionEnded: viewer === null && (await cookieSessionId(context, request)) !== null,
    viewer: viewer && { email: viewer.email, fullName: viewer.fullName, role: viewer.role },
    requestId: context.requestId,
    reloadUrl: context.env.RELOAD_URL ?? null,
  };
  return data(shown, mailTaken ? { headers: { "Set-Cookie": mailTaken } } : {});
}

export function Layout({ children }: { children: React.ReactNode }) {
  const nonce = useNonce();
  // Undefined when the loader itself failed.
  const known = useRouteLoaderData<typeof loader>("root");
  return (
    <html lang="en" data-theme="dark" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="dark light" />
        <InlineScript code={SET_THEME} />
        <Meta />
        <Links />
      </head>
      <body>
        <Shell viewer={known?.viewer ?? null}>{children}</Shell>
        <Toaster />
        <FlashToast />
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
        {known?.reloadUrl && (
          <InlineScript code={`new EventSource(${JSON.stringify(known.reloadUrl)}).onmessage=()=>location.reload()`} />
        )}
      </body>
    </html>
  );
}

function InlineScript({ code }: { code: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: as children React would escape it; nothing in it comes from a visitor
  return <script nonce={useNonce()} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: code }} />;
}

export default function App() {
  const { viewer, sessionId, sessionEnded } = useLoaderData<typeof loader>();
  return (
    <>
      <Outlet />
      <KeepSession sessionId={sessionId} ended={sessionEnded} />
      <SupportWidget signedIn={viewer !== null} />
    </>
  );
}

export function ErrorBoundary() {
  const known = useRouteLoaderData<typeof loader>("root");
  return <ErrorMessage error={useRouteError()} requestId={lastFailedRequestId() ?? known?.requestId ?? null} />;
}
