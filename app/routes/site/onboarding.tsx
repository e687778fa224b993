import type { MetaFunction } from "@remix-run/cloudflare";
import { useRouteLoaderData, useSearchParams } from "@remix-run/react";
import { AFTER_SIGN_IN, authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { safePath } from "#app/http/requests/safe-path.ts";
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
  const [params] = useSearchParams();
  const redirectTo = safePath(params.get("redirectTo"), "");
  const isApp = platform !== null && platform !== "web";
  return (
    <Introduction
      doneTo={isApp && !signedIn ? authPath(APP_SIGN_IN_PATH, redirectTo || AFTER_SIGN_IN) : redirectTo || "/"}
      onDone={() => finishOnboarding(isApp ? "app" : "web")}
    />
  );
}
