import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { Form, useLoaderData } from "@remix-run/react";
import {
  confirmEmailChange,
  EMAIL_CHANGE_ERRORS,
  mayConfirmEmailChange,
} from "#app/accounts/email-address/email-change.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Confirm your email address · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const viewer = await readViewer(request, context);
  const mayConfirm = await mayConfirmEmailChange(context.db, token, viewer?.userId);
  return {
    token,
    mayConfirm,
    otherEmail: viewer?.email ?? null,
    logInPath: authPath("/auth/login", pathOf(request.url)),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await readViewer(request, context);
  if (!viewer) return data({ email: null, message: EMAIL_CHANGE_ERRORS.other_account }, 403);
  const visit = await readVisit(context, request);
  const moved = await confirmEmailChange(context, visit, formText(form, "token"), viewer);
  if (moved.ok) return data({ email: moved.email, message: null });
  const status = moved.reason === "other_account" ? 403 : 400;
  return data({ email: null, message: EMAIL_CHANGE_ERRORS[moved.reason] }, status);
}

export default function ConfirmEmail() {
  const { token, mayConfirm, otherEmail, logInPath } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  return (
    <>
      <h1 className="text-2xl">Confirm your email address</h1>
      <p className="mt-2 mb-8 text-sm text-muted">You'll use it to log in from now on.</p>
      {result ? (
        <div className="flex flex-col items-start gap-5">
          {result.email !== null ? (
            <Notice tone="good">
              Your email address is now <b className="font-medium break-all">{result.email}</b>.
            </Notice>
          ) : (
            <Notice tone="bad">{result.message}</Notice>
          )}
          <ButtonLink to="/dashboard/account" variant="secondary">
            Go to your profile
          </ButtonLink>
        </div>
      ) : !mayConfirm ? (
        <LogInFirst email={otherEmail} logInPath={logInPath} />
      ) : (
        <ActionForm result={null} hidden={{ token }}>
          <SubmitButton size="large" className="self-start">
            Confirm email address
          </SubmitButton>
        </ActionForm>
      )}
    </>
  );
}

/** `email`: of another account that is logged in here, or null. */
function LogInFirst({ email, logInPath }: { email: string | null; logInPath: string }) {
  return (
    <div className="flex flex-col items-start gap-5">
      <p className="max-w-prose text-sm">
        Log in to the account that requested this change, then confirm it. If you didn't request it, close this page.
      </p>
      {email === null ? (
        <ButtonLink to={logInPath} size="large">
          Log in
        </ButtonLink>
      ) : (
        <Form method="post" action="/auth/logout" className="flex max-w-prose flex-col items-start gap-5 text-sm">
          <p>
            You are logged in as <b className="font-medium break-all">{email}</b>. If that is another account, log out
            and open the link in the email again.
          </p>
          <button type="submit" className="cursor-pointer underline underline-offset-4 hover:text-text">
            Log out
          </button>
        </Form>
      )}
    </div>
  );
}
