import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { isAlertToken, rejectLogIn } from "#app/accounts/sign-in/reject-log-in.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const EXPIRED = "This link was used or has expired. If you don't recognize a log-in, reset your password.";

export const meta: MetaFunction = () => [{ title: `Secure your account · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  return { token, isUsable: await isAlertToken(context.db, token) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const isRejected = await rejectLogIn(context, request, formText(form, "token"));
  return data({ isRejected }, isRejected ? 200 : 400);
}

export default function NotMe() {
  const { token, isUsable } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  if (result?.isRejected) {
    return (
      <>
        <h1 className="text-2xl">Your account is locked down</h1>
        <div className="mt-6 flex flex-col items-start gap-5">
          <Notice tone="good">
            We logged out every device, and the old password no longer works. We've emailed you a link to choose a new
            one. It works once and expires in one hour.
          </Notice>
          <ButtonLink to="/reset-password" variant="secondary">
            Send another link
          </ButtonLink>
        </div>
      </>
    );
  }
  return (
    <>
      <h1 className="text-2xl">Wasn't this you?</h1>
      {result || !isUsable ? (
        <div className="mt-6 flex flex-col items-start gap-5">
          <Notice tone="bad">{EXPIRED}</Notice>
          <ButtonLink to="/reset-password" variant="secondary">
            Reset password
          </ButtonLink>
        </div>
      ) : (
        <>
          <p className="mt-2 mb-8 max-w-prose text-sm text-muted">
            We'll log out every device, turn off your password and cancel a pending change of your email address. Then
            we'll email you a link to choose a new password.
          </p>
          <ActionForm result={null} hidden={{ token }}>
            <SubmitButton variant="danger" size="large" className="self-start">
              Log out every device
            </SubmitButton>
          </ActionForm>
        </>
      )}
    </>
  );
}
