import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { isAlertToken, rejectionRemovesRole, rejectLogIn } from "#app/accounts/sign-in/reject-log-in.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const EXPIRED =
  "This link was used or has expired. If you don't recognize a log-in, passkey or app, reset your password.";

export const meta: MetaFunction = () => [{ title: `Secure your account · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const [isUsable, losesRole] = await Promise.all([
    isAlertToken(context.db, token),
    rejectionRemovesRole(context.db, token),
  ]);
  return { token, isUsable, losesRole };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const token = formText(await readForm(request), "token");
  const visit = await readVisit(context, request);
  const rejection = await rejectLogIn(context, visit, token, programAccess(context.db, context.env));
  return data(rejection, rejection.ok ? 200 : 400);
}

export default function NotMe() {
  const { token, isUsable, losesRole } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  if (result?.ok) {
    return (
      <>
        <h1 className="text-2xl">Your account is locked down</h1>
        <div className="mt-6 flex flex-col items-start gap-5">
          <Notice tone="good">
            We logged out every device, and the old password no longer works. We've emailed you a link to choose a new
            one. It works once and expires in one hour. If your email address was changed too, use the link in our email
            about that change instead.
          </Notice>
          {result.lostRole && (
            <Notice tone="bad">
              Your second factor was removed, so your account became a customer account. Ask an admin to give you your
              role back.
            </Notice>
          )}
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
          <p className="mt-2 text-sm text-muted">So that nobody else keeps access to your account:</p>
          <ul className="mt-3 mb-8 list-disc space-y-1 pl-5 text-sm text-muted">
            <li>
              Every device is logged out, and the password stops working. We email you a link to choose a new one.
            </li>
            <li>All API keys are revoked, and all webhooks are turned off.</li>
            <li>Passkeys and authenticator apps added since the first email about this are removed.</li>
            {losesRole && <li>Your account becomes a customer account. Ask an admin to give you your role back.</li>}
            <li>A pending change of your email address is canceled.</li>
          </ul>
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
