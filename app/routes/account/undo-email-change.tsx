import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { readUndo, UNDO_ERRORS, undoEmailChange } from "#app/accounts/email-address/email-change-undo.server.ts";
import { forgetWebSession } from "#app/accounts/session/viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Undo the change of your email address · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  return { token, undo: await readUndo(context.db, token) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const token = formText(await readForm(request), "token");
  const visit = await readVisit(context, request);
  const undone = await undoEmailChange(context, visit, token, programAccess(context.db, context.env));
  if (!undone.ok) return data({ message: UNDO_ERRORS[undone.reason] }, undone.reason === "email_taken" ? 409 : 400);
  const query = new URLSearchParams({ token: undone.resetToken });
  return redirect(`/reset-password?${query}`, {
    headers: { "Set-Cookie": await forgetWebSession(context, request), "Cache-Control": "no-store" },
  });
}

export default function UndoEmailChange() {
  const { token, undo } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  const refusal = result?.message ?? (undo === null ? "This link was used or has expired." : null);
  return (
    <>
      <h1 className="text-2xl">Undo the change of your email address</h1>
      {refusal === null ? (
        <>
          <p className="mt-2 text-sm text-muted">
            Your account goes back to <b className="font-medium break-all text-text">{undo?.oldEmail}</b>. So that
            nobody else keeps access:
          </p>
          <ul className="mt-3 mb-8 list-disc space-y-1 pl-5 text-sm text-muted">
            <li>Everyone is logged out, and the password stops working. You choose a new one next.</li>
            <li>All API keys are revoked, and all webhooks are turned off.</li>
            <li>Passkeys and authenticator apps added since the change was requested are removed.</li>
            {undo?.losesRole && (
              <li>Your account becomes a customer account. Ask an admin to give you your role back.</li>
            )}
          </ul>
          <ActionForm result={null} hidden={{ token }}>
            <SubmitButton size="large" className="self-start">
              Undo the change
            </SubmitButton>
          </ActionForm>
        </>
      ) : (
        <div className="mt-6 flex flex-col items-start gap-5">
          <Notice tone="bad">{refusal}</Notice>
          <ButtonLink to="/reset-password" variant="secondary">
            Reset your password
          </ButtonLink>
        </div>
      )}
    </>
  );
}
