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
import { readPasskeyProof } from "#app/accounts/factors/passkey-form.server.ts";
import { FactorCodeField } from "#app/accounts/forms/account-fields.tsx";
import { factorCodeInput } from "#app/accounts/forms/account-input.ts";
import { AFTER_SIGN_IN, AuthPage, authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { pathAfterLogIn } from "#app/accounts/sign-in/auth-page-loader.server.ts";
import type { SignedIn } from "#app/accounts/sign-in/complete-sign-in.server.ts";
import { forgetPendingLogIn } from "#app/accounts/sign-in/pending-log-in.server.ts";
import { passSecondStep, readSecondStep, type SecondStep } from "#app/accounts/sign-in/second-step.server.ts";
import { refusedLogIn, refusedPasskey } from "#app/accounts/sign-in/submit-log-in.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { formText, parseForm, readForm } from "#app/http/requests/read-form.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Two-step login · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const redirectTo = safePath(new URL(request.url).searchParams.get("redirectTo"), AFTER_SIGN_IN);
  const step = await readSecondStep(context, request);
  if (!step) throw redirect(authPath("/auth/login", redirectTo));
  const { passkeys, hasTotp } = step.factors;
  return { redirectTo, hasPasskeys: passkeys.length > 0, hasTotp };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const redirectTo = safePath(form.get("redirectTo"), AFTER_SIGN_IN);
  const step = await readSecondStep(context, request);
  if (!step) throw await startAgain(request, redirectTo);
  const isPasskey = formText(form, "intent") === "passkey";
  const parsed = parseForm(form, factorCodeInput, { secrets: ["code"] });
  if (!isPasskey && !parsed.ok) return data(refusedLogIn(parsed.result), 400);
  const code = parsed.ok ? parsed.input.code : "";
  const proof = isPasskey
    ? ({ kind: "passkey", ...readPasskeyProof(form) } as const)
    : ({ kind: "code", code } as const);
  const passed = await passSecondStep(context, request, step, proof);
  if (passed.ok) {
    return redirect(pathAfterLogIn(passed.role, redirectTo), { headers: await headersOf(request, step, passed) });
  }
  if (passed.isOver) throw await startAgain(request, redirectTo, passed.text);
  const { text, status, headers } = passed;
  if (isPasskey || !parsed.ok) {
    return data(refusedPasskey(text), { status, headers });
  }
  return data(refusedLogIn(parsed.refuse({ fieldErrors: { code: text } })), { status, headers });
}

async function headersOf(request: Request, step: SecondStep, passed: SignedIn | { cookie: null }): Promise<Headers> {
  const all = new Headers();
  if (step.kind === "log_in") all.append("Set-Cookie", await forgetPendingLogIn(request));
  if (passed.cookie === null) return all;
  for (const cookie of [passed.cookie, passed.deviceCookie]) all.append("Set-Cookie", cookie);
  if (passed.toast) all.append("Set-Cookie", await flashCookie(request, passed.toast));
  return all;
}

async function startAgain(
  request: Request,
  redirectTo: string,
  text = "This log-in has expired. Enter your password again.",
): Promise<Response> {
  const all = new Headers({ "Set-Cookie": await forgetPendingLogIn(request) });
  all.append("Set-Cookie", await flashCookie(request, text));
  return redirect(authPath("/auth/login", redirectTo), { headers: all });
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
