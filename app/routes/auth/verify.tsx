import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { PasskeyButton } from "#app/accounts/factors/browser/passkey-button.tsx";
import { usePasskey } from "#app/accounts/factors/browser/use-passkey.ts";
import { NO_FACTOR_HERE } from "#app/accounts/factors/factor-texts.ts";
import { requireHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { AFTER_SIGN_IN, AuthPage } from "#app/accounts/sign-in/auth-page.tsx";
import { CodeProofForm, PasswordProofForm } from "#app/accounts/step-up/proof-forms.tsx";
import { hasRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { proofMethodsOf, submitVerifyForm } from "#app/accounts/step-up/verify-form.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Confirm it's you · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await requireHeldViewer(request, context);
  const redirectTo = safePath(new URL(request.url).searchParams.get("redirectTo"), AFTER_SIGN_IN);
  if (hasRecentProof(viewer)) throw redirect(redirectTo);
  return { redirectTo, methods: await proofMethodsOf(context.db, viewer.userId) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireHeldViewer(request, context);
  const visit = await readVisit(context, request);
  const { result, ...rest } = await submitVerifyForm(context, visit, viewer, form);
  if (!result.ok) return data(result, rest);
  const redirectTo = safePath(form.get("redirectTo"), AFTER_SIGN_IN);
  return redirect(redirectTo, {
    headers: { "Set-Cookie": await flashCookie(request, "Confirmed. You can continue.") },
  });
}

export default function VerifyPage() {
  const { redirectTo, methods } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const form = { result, hidden: { redirectTo } };
  const passkey = usePasskey({ purpose: "confirm", action: "/auth/verify", fields: { redirectTo } });
  return (
    <AuthPage title="Confirm it's you" lead="Then go back and do it again. We won't ask for ten minutes.">
      <div className="flex flex-col gap-8">
        {methods.hasPasskeys && (
          <PasskeyButton passkey={passkey} refused={result?.intent === "passkey" ? result.message : undefined}>
            Use a passkey
          </PasskeyButton>
        )}
        {methods.hasPassword && <PasswordProofForm {...form} />}
        {methods.hasCodes && <CodeProofForm {...form} hasTotp={methods.hasTotp} />}
        {!methods.hasPassword && !methods.hasCodes && (
          <p className="max-w-prose text-sm text-muted">{NO_FACTOR_HERE}</p>
        )}
        <Link
          to={redirectTo}
          className="inline-flex h-11 items-center self-start text-sm text-muted underline underline-offset-4 hover:text-text sm:h-8"
        >
          Cancel
        </Link>
      </div>
    </AuthPage>
  );
}
