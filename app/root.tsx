import sansUrl from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url";
import { data, type LinksFunction, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLoaderData,
  useMatches,
  useRouteLoaderData,
} from "@remix-run/react";
import { useState } from "react";
import { KeepSession } from "#app/accounts/session/keep-session.tsx";
import { SESSION_KEY } from "#app/accounts/session/stored-session.ts";
import { cookieSessionId, readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { IdentityQuestions } from "#app/accounts/step-up/identity-questions.tsx";
import { FormatsProvider } from "#app/components/formats/formats-provider.tsx";
import { KeepForm } from "#app/components/forms/unanswered-form.ts";
import { Shell } from "#app/components/navigation/page-shell.tsx";
import { InlineScript } from "#app/components/page/inline-script.tsx";
import { useNonce } from "#app/components/page/nonce.tsx";
import { SET_THEME } from "#app/components/page/theme-toggle.tsx";
import { REPLACE_STORAGE } from "#app/components/storage/replace-storage.ts";
import { FlashToast } from "#app/components/toast/flash-toast.tsx";
import { Toaster } from "#app/components/toast/toast.tsx";
import { claimVisitorMailbox } from "#app/gmail/connect/gmail-caller.server.ts";
import { headersOfError } from "#app/http/requests/allowed-methods.ts";
import { markedTime, timeIn } from "#app/http/requests/marked-time.ts";
import { DEFAULT_LOCALE, readerLocale } from "#app/http/requests/reader-locale.ts";
import { GATED_ROUTE, GateProvider, HOLD_IN_SHELL } from "#app/native/gate/gate-provider.tsx";
import { UnlessOffline } from "#app/native/network/offline-screen.tsx";
import { RouteError } from "#app/native/network/route-error.tsx";
import { siteNotice } from "#app/site-settings/site-notice.server.ts";
import { SupportWidget } from "#app/support/widget/support-widget.tsx";
import { PRODUCT_NAME } from "./product.ts";
import stylesUrl from "./styles.css?url";

export const links: LinksFunction = () => [
  { rel: "preload", href: sansUrl, as: "font", type: "font/woff2", crossOrigin: "anonymous" },
  { rel: "stylesheet", href: stylesUrl },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
  { rel: "manifest", href: "/site.webmanifest" },
];

/** zod would test whether it may evaluate code, which our policy refuses and browsers report. */
const FORBID_EVAL = ";globalThis.__zod_globalConfig={jitless:true}";

export const meta: MetaFunction = () => [{ title: PRODUCT_NAME }];

export const headers = headersOfError;

export async function loader({ request, context }: LoaderFunctionArgs) {
  // Read beside who is logged in: no page waits for it alone.
  const [viewer] = await Promise.all([readHeldViewer(request, context), context.siteState()]);
  const reader = viewer === null ? "visitor" : viewer.role === "customer" ? "customer" : "staff";
  const claimedCookie = viewer && !viewer.isHeld && (await claimVisitorMailbox({ request, context }, viewer.userId));
  const shown = {
    sessionId: viewer?.sessionId ?? null,
    sessionEnded: viewer === null && (await cookieSessionId(context, request)) !== null,
    viewer: viewer && { email: viewer.email, fullName: viewer.fullName, role: viewer.role },
    requestId: context.requestId,
    origin: new URL(request.url).origin,
    locale: readerLocale(request.headers.get("Accept-Language")),
    notice: await siteNotice(context, request, reader),
    reloadUrl: context.env.RELOAD_URL ?? null,
    now: markedTime(context.requestId, context.startedAt),
  };
  return data(shown, claimedCookie ? { headers: { "Set-Cookie": claimedCookie } } : {});
}

export function Layout({ children }: { children: React.ReactNode }) {
  const nonce = useNonce();
  // Undefined if the loader itself failed.
  const known = useRouteLoaderData<typeof loader>("root");
  const matches = useMatches();
  const isGated = matches.some(({ id }) => id === GATED_ROUTE);
  const isBare = useIsBare();
  return (
    <html lang="en" data-theme="dark" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="dark light" />
        <meta name="theme-color" content="#0c0f13" />
        <InlineScript code={import.meta.env.SSR ? REPLACE_STORAGE + SET_THEME + FORBID_EVAL : ""} />
        {isGated && <InlineScript code={import.meta.env.SSR ? HOLD_IN_SHELL : ""} />}
        <Meta />
        <Links />
      </head>
      <body>
        <FormatsProvider locale={known?.locale ?? DEFAULT_LOCALE} now={known && timeIn(known.now)}>
          <UnlessOffline>
            <Shell viewer={known?.viewer ?? null} notice={known?.notice} bare={isBare}>
              {children}
            </Shell>
            <Toaster />
          </UnlessOffline>
        </FormatsProvider>
        <FlashToast />
        <KeepForm />
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
        {known?.reloadUrl && (
          <InlineScript code={`new EventSource(${JSON.stringify(known.reloadUrl)}).onmessage=()=>location.reload()`} />
        )}
      </body>
    </html>
  );
}

/** Returns whether the page fills the window, without header and footer. */
function useIsBare(): boolean {
  return useMatches().some(({ handle }) => (handle as { bare?: boolean } | undefined)?.bare === true);
}

export default function App() {
  const { viewer, sessionId, sessionEnded } = useLoaderData<typeof loader>();
  const [restored, setRestored] = useState(false);
  return (
    <GateProvider signedIn={viewer !== null} sessionKey={SESSION_KEY} onRestored={() => setRestored(true)}>
      <Outlet />
      {/* The key makes it read the storage again once the shell has restored a session. */}
      <KeepSession key={String(restored)} sessionId={sessionId} ended={sessionEnded} />
      {viewer && <IdentityQuestions />}
      <SupportWidget accountSession={sessionId} />
    </GateProvider>
  );
}

export { RouteError as ErrorBoundary };
