import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { confirmEmailChange, EMAIL_CHANGE_ERRORS } from "#app/accounts/email-address/email-change.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Confirm your email address · ${PRODUCT_NAME}` }];

export function loader({ request }: LoaderFunctionArgs) {
  return { token: new URL(request.url).searchParams.get("token") ?? "" };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await readViewer(request, context);
  const moved = await confirmEmailChange(context, request, formText(form, "token"), viewer?.sessionId);
  if (moved.ok) return data({ email: moved.email, message: null });
  return data({ email: null, message: EMAIL_CHANGE_ERRORS[moved.reason] }, 400);
}

export default function ConfirmEmail() {
  const { token } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
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
