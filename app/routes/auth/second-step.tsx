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
import { FactorCodeField } from "#app/accounts/forms/account-fields.tsx";
import { AFTER_SIGN_IN, AuthPage, authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { logInBy, secondStepOf } from "#app/accounts/sign-in/log-in-door.server.ts";
import { readVisit, secondStepCookie } from "#app/accounts/visit/visit.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { clearCookie, flashCookie } from "#app/http/cookies.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Two-step login · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const redirectTo = safePath(new URL(request.url).searchParams.get("redirectTo"), AFTER_SIGN_IN);
  const visit = await readVisit(context, request);
  const step = await secondStepOf(request, context, visit);
  if (!step) throw redirect(authPath("/auth/login", redirectTo));
  const { passkeys, hasTotp } = step.factors;
  return { redirectTo, hasPasskeys: passkeys.length > 0, hasTotp };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const redirectTo = safePath(form.get("redirectTo"), AFTER_SIGN_IN);
  const visit = await readVisit(context, request);
  const answer = await logInBy("second-step", Object.assign(request, { context, visit, form }), redirectTo);
  if (!("refused" in answer)) return answer;
  const { refused, status, headers, isOver } = answer;
  if (isOver) throw await startAgain(request, redirectTo, refused.error);
  return data(refused, { status, headers });
}

async function startAgain(request: Request, redirectTo: string, text: string): Promise<Response> {
  const headers = new Headers({ "Set-Cookie": await clearCookie(secondStepCookie(request)) });
  headers.append("Set-Cookie", await flashCookie(request, text));
  return redirect(authPath("/auth/login", redirectTo), { headers });
}

export default function SecondStepPage() {
  const { redirectTo, hasPasskeys, hasTotp } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  const passkey = usePasskey({ purpose: "second_step", action: "/auth/second-step", fields: { redirectTo } });
  return (
    <AuthPage title="Confirm it's you" lead="Your account is protected by a second step.">
      <div className="flex flex-col gap-6">
        {hasPasskeys && (
          <PasskeyButton
            passkey={passkey}
            refused={result?.intent === "passkey" ? result.message : undefined}
            size="large"
            variant={hasTotp ? "secondary" : "primary"}
          >
            Use a passkey
          </PasskeyButton>
        )}
        <ActionForm result={result} action="/auth/second-step" hidden={{ redirectTo }} className="flex flex-col gap-5">
          <FactorCodeField hasTotp={hasTotp} />
          <SubmitButton size="large" variant={hasTotp || !hasPasskeys ? "primary" : "secondary"}>
            Continue
          </SubmitButton>
        </ActionForm>
        <Link
          to={authPath("/auth/login", redirectTo)}
          className="inline-flex h-11 items-center self-start text-sm text-muted underline underline-offset-4 hover:text-text sm:h-8"
        >
          Back to log in
        </Link>
      </div>
    </AuthPage>
  );
}
