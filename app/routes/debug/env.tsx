import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { type ReactNode, useEffect, useState } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { requireDebugPages } from "#app/http/debug-pages.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: "Environment" }, { name: "robots", content: "noindex" }];

/** Only their presence is shown. */
const BINDINGS = [
  "ASSETS",
  "DB",
  "DB_SUPPORT",
  "UPLOADS",
  "SUPPORT_ROOM",
  "SUPPORT_DESK",
  "AUTH_RATE_LIMIT",
  "EMAIL",
  "SESSION_SECRET",
  "ENCRYPTION_KEYS",
  "EMAIL_API_URL",
  "EMAIL_API_KEY",
  "EMAIL_WEBHOOK_SECRET",
] as const satisfies (keyof Env)[];

export function loader({ request, context }: LoaderFunctionArgs) {
  const { env } = context;
  requireDebugPages(env);
  return {
    build: {
      Built: import.meta.env.BUILD.at,
      Commit: import.meta.env.BUILD.commit,
      Mode: import.meta.env.MODE,
      Runtime: navigator.userAgent,
    },
    bindings: BINDINGS.map((name) => ({ name, present: Boolean(env[name]) })),
    settings: {
      ENVIRONMENT: env.ENVIRONMENT,
      LOGIN_ERRORS: env.LOGIN_ERRORS || "spec",
      PUBLIC_ORIGIN: env.PUBLIC_ORIGIN,
      EMAIL_FROM: env.EMAIL_FROM,
      DEBUG_PAGES: env.DEBUG_PAGES ?? "off",
      Product: PRODUCT_NAME,
      Currency: CURRENCY,
    },
    request: {
      Origin: new URL(request.url).origin,
      "User agent": request.headers.get("User-Agent") ?? "none",
      Country: request.headers.get("CF-IPCountry") ?? "unknown",
    },
  };
}

export default function DebugEnv() {
  const { build, bindings, settings, request } = useLoaderData<typeof loader>();
  const platform = usePlatform();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
      <h1 className="text-2xl">Environment</h1>
      <div className="mt-6 flex flex-col gap-8">
        <Card title="Build" titleId="build">
          <Facts facts={build} />
        </Card>
        <Card title="Bindings and secrets" titleId="bindings">
          <dl className="grid gap-2 text-sm sm:grid-cols-2">
            {bindings.map(({ name, present }) => (
              <div key={name} className="flex items-center justify-between gap-3">
                <dt className="font-mono text-xs">{name}</dt>
                <dd>
                  <Badge tone={present ? "good" : "neutral"}>{present ? "present" : "absent"}</Badge>
                </dd>
              </div>
            ))}
          </dl>
        </Card>
        <Card title="Public settings" titleId="settings">
          <Facts facts={settings} />
        </Card>
        <Card title="Request" titleId="request">
          <Facts facts={request} />
        </Card>
        <Card title="Platform" titleId="platform">
          {platform ? <Facts facts={platform} /> : <p className="text-sm text-muted">Detected with JavaScript.</p>}
        </Card>
      </div>
    </main>
  );
}

function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className="grid grid-cols-[8rem_1fr] items-baseline gap-x-4 gap-y-2 text-sm sm:grid-cols-[10rem_1fr]">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 font-mono text-xs leading-6 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Bridge = { getPlatform?: () => string; isNativePlatform?: () => boolean };

/** Returns the browser's platform details, or null until hydration. */
function usePlatform(): Record<string, string> | null {
  const [platform, setPlatform] = useState<Record<string, string> | null>(null);
  useEffect(() => {
    const bridge = (window as { Capacitor?: Bridge }).Capacitor;
    setPlatform({
      "Native bridge": bridge ? "present" : "absent",
      Platform: bridge?.getPlatform?.() ?? "web",
      Native: bridge?.isNativePlatform?.() ? "yes" : "no",
      Online: navigator.onLine ? "yes" : "no",
      Language: navigator.language,
      Window: `${window.innerWidth} × ${window.innerHeight}, ×${window.devicePixelRatio}`,
    });
  }, []);
  return platform;
}
