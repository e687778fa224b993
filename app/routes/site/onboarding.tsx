import type { MetaFunction } from "@remix-run/cloudflare";
import { useRouteLoaderData } from "@remix-run/react";
import { APP_SIGN_IN_PATH } from "#app/http/web-view.ts";
import { usePlatform } from "#app/native/gate/gate-provider.tsx";
import { finishOnboarding } from "#app/native/gate/onboarding-flags.ts";
import { Introduction } from "#app/native/onboarding/introduction.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import type { loader as rootLoader } from "#app/root.tsx";

export const meta: MetaFunction = () => [
  { title: `Welcome · ${PRODUCT_NAME}` },
  { name: "robots", content: "noindex" },
];

export const handle = { bare: true };

export default function Onboarding() {
  const platform = usePlatform();
  const signedIn = useRouteLoaderData<typeof rootLoader>("root")?.viewer != null;
  const isApp = platform !== null && platform !== "web";
  return (
    <Introduction
      doneTo={isApp && !signedIn ? APP_SIGN_IN_PATH : "/"}
      onDone={() => finishOnboarding(isApp ? "app" : "web")}
    />
  );
}
