import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useEffect, useState } from "react";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { requireDebugPages } from "#app/http/debug-pages.ts";
import { forgetOnboarding, ONBOARDING_KEYS } from "#app/native/gate/onboarding-flags.ts";

export const meta: MetaFunction = () => [{ title: "Reset onboarding" }, { name: "robots", content: "noindex" }];

export function loader({ context }: LoaderFunctionArgs) {
  requireDebugPages(context.env);
  return null;
}

export default function ResetOnboarding() {
  const [cleared, setCleared] = useState<boolean | null>(null);
  useEffect(() => setCleared(forgetOnboarding()), []);
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
      <h1 className="text-2xl">Reset onboarding</h1>
      <div className="mt-6 flex max-w-prose flex-col items-start gap-5">
        {cleared === null && <p className="text-muted">This page needs JavaScript to clear the flags.</p>}
        {cleared === true && (
          <Notice tone="good">
            Cleared {Object.values(ONBOARDING_KEYS).join(" and ")}. You'll see the introduction again.
          </Notice>
        )}
        {cleared === false && <Notice tone="bad">This browser blocks storage, so there was nothing to clear.</Notice>}
        <ButtonLink to="/" variant="secondary">
          Go to the home page
        </ButtonLink>
      </div>
    </main>
  );
}
