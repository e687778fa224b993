import {
  type ActionFunctionArgs,
  type AppLoadContext,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { EmailField } from "#app/accounts/forms/account-fields.tsx";
import { requestResetInput, resetInput } from "#app/accounts/forms/account-input.ts";
import { CheckedForm } from "#app/accounts/forms/checked-form.tsx";
import { NewPasswordField } from "#app/accounts/password/new-password-field.tsx";
import {
  isResetToken,
  RESET_ERRORS,
  requestReset,
  resetPassword,
} from "#app/accounts/recovery/password-reset.server.ts";
import { AuthPage } from "#app/accounts/sign-in/auth-page.tsx";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Notice } from "#app/components/ui/notice.tsx";
import { flashCookie } from "#app/http/cookies.ts";
import { formText, parseForm, type RefusedForm, readForm } from "#app/http/requests/read-form.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Reset your password · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get("token");
  if (token === null || (await isResetToken(context.db, token))) return { token, linkError: null };
  return { token: null, linkError: RESET_ERRORS.link_expired };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  return form.has("token") ? setPassword(request, context, form) : mailLink(request, context, form);
}

async function mailLink(request: Request, context: AppLoadContext, form: FormData) {
  const parsed = parseForm(form, requestResetInput);
  const unsent = { token: null, sentTo: null };
  if (!parsed.ok) return data({ ...unsent, result: parsed.result }, 400);
  const { email } = parsed.input;
  const visit = await readVisit(context, request);
  const requested = await requestReset(context, visit, email);
  if (requested.ok) return data({ token: null, sentTo: email, result: null });
  const { text: message, status, headers } = requested;
  return data({ ...unsent, result: parsed.refuse({ message }) }, { status, headers });
}

async function setPassword(request: Request, context: AppLoadContext, form: FormData) {
  const token = formText(form, "token");
  const parsed = parseForm(form, resetInput, { secrets: ["token", "password"] });
  const refuse = (result: RefusedForm) => data({ token, sentTo: null, result }, 400);
  if (!parsed.ok) return refuse(parsed.result);
  const visit = await readVisit(context, request);
  const reset = await resetPassword(context, visit, parsed.input, programAccess(context.db, context.env));
  if (reset.ok) {
    const toast = await flashCookie(request, "Password changed. Log in with your new password.");
    return redirect("/auth/login", { headers: { "Set-Cookie": toast } });
  }
  if (reset.reason === "too_many") {
    const { text: message, status, headers } = reset;
    return data({ token, sentTo: null, result: parsed.refuse({ message }) }, { status, headers });
  }
  const text = RESET_ERRORS[reset.reason];
  return refuse(
    parsed.refuse(reset.reason === "link_expired" ? { message: text } : { fieldErrors: { password: text } }),
  );
}

export default function ResetPassword() {
  const loaded = useLoaderData<typeof loader>();
  const submitted = useActionResult<typeof action>();
  const token = submitted?.token ?? loaded.token;
  if (token !== null) {
    return (
      <AuthPage title="Choose a new password" lead="You'll be logged out on all devices.">
        <NewPasswordForm token={token} result={submitted?.result ?? null} />
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Reset your password" lead="We'll email you a link. It works once and expires in one hour.">
      {submitted?.sentTo ? (
        <Notice tone="good">
          If there is an account for <b className="font-medium break-all">{submitted.sentTo}</b>, we've sent a link. It
          can take a minute to arrive. Check your spam folder too. If nothing arrives, contact support.
        </Notice>
      ) : (
        <>
          {loaded.linkError && !submitted && (
            <div className="mb-5">
              <Notice tone="bad">{loaded.linkError}</Notice>
            </div>
          )}
          <ResetRequestForm result={submitted?.result ?? null} />
        </>
      )}
      <p className="mt-6 text-sm text-muted">
        <Link
          to="/auth/login"
          className="inline-flex h-11 items-center text-text underline underline-offset-4 sm:h-auto"
        >
          Back to log in
        </Link>
      </p>
    </AuthPage>
  );
}

function ResetRequestForm({ result }: { result: FormResult | null }) {
  return (
    <CheckedForm input="requestReset" action="/reset-password" result={result}>
      <EmailField autoComplete="username" />
      <SubmitButton size="large">Send reset link</SubmitButton>
    </CheckedForm>
  );
}

/** The form behind a reset link. `token` comes from the link. */
function NewPasswordForm({ token, result }: { token: string; result: FormResult | null }) {
  return (
    <CheckedForm input="reset" action="/reset-password" result={result} hidden={{ token }}>
      <NewPasswordField name="password" label="New password" />
      <SubmitButton size="large">Set password</SubmitButton>
    </CheckedForm>
  );
}
