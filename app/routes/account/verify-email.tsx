import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { confirmEmail, resendVerification } from "#app/accounts/email-address/email-verification.server.ts";
import { readViewer, requireViewer } from "#app/accounts/session/viewer.server.ts";
import { AFTER_SIGN_IN } from "#app/accounts/sign-in/auth-page.tsx";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Confirm your email address · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many emails.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const viewer = await readViewer(request, context);
  return {
    token: searchParams.get("token") ?? "",
    next: safePath(searchParams.get("next"), AFTER_SIGN_IN),
    viewer: viewer && { email: viewer.email, emailConfirmed: viewer.emailConfirmed },
  };
}

type Result = { confirmed: string } | { sentTo: string } | { error: string };

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  if (form.get("intent") === "resend") return resend(request, context, safePath(form.get("next"), ""));
  const visit = await readVisit(context, request);
  const confirmed = await confirmEmail(context, visit, formText(form, "token"));
  if (confirmed) return data<Result>({ confirmed: confirmed.email });
  return data<Result>({ error: "This link was used or has expired." }, 400);
}

async function resend(request: Request, context: ActionFunctionArgs["context"], next: string) {
  const viewer = await requireViewer(request, context);
  if (viewer.emailConfirmed) throw redirect(next || AFTER_SIGN_IN);
  const visit = await readVisit(context, request);
  const sent = await resendVerification(context, visit, viewer, next);
  if (sent.ok) return data<Result>({ sentTo: viewer.email });
  const minutes = Math.ceil(sent.retryAfterSeconds / 60);
  const error = `We sent you several links already. Check your spam folder, or try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
  return data<Result>({ error }, { status: 429, headers: { "Retry-After": String(sent.retryAfterSeconds) } });
}

export default function VerifyEmail() {
  const { token, next, viewer } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  const isConfirmed = (result && "confirmed" in result) || viewer?.emailConfirmed;
  return (
    <>
      <h1 className="text-2xl">Confirm your email address</h1>
      <p className="mt-2 mb-8 text-sm text-muted">
        {isConfirmed
          ? "You can use live API keys, webhooks and card payments."
          : "Live API keys, webhooks and card payments need a confirmed address."}
      </p>
      <div className="flex flex-col items-start gap-5">
        {result && "confirmed" in result && (
          <Notice tone="good">
            <b className="font-medium break-all">{result.confirmed}</b> is confirmed.
          </Notice>
        )}
        {result && "sentTo" in result && (
          <Notice tone="good">
            We sent a new link to <b className="font-medium break-all">{result.sentTo}</b>. It expires in 48 hours.
          </Notice>
        )}
        {result && "error" in result && <Notice tone="bad">{result.error}</Notice>}
        {isConfirmed ? (
          <>
            {!result && <Notice tone="good">Your email address is already confirmed.</Notice>}
            <ButtonLink to={next} size="large">
              Continue
            </ButtonLink>
          </>
        ) : token !== "" && !result ? (
          <ActionForm result={null} hidden={{ token }}>
            <SubmitButton size="large" className="self-start">
              Confirm email address
            </SubmitButton>
          </ActionForm>
        ) : (
          <SendAgain email={viewer?.email ?? null} />
        )}
      </div>
    </>
  );
}

/** `email` is the viewer's address, or null if nobody is logged in. */
function SendAgain({ email }: { email: string | null }) {
  if (email === null) {
    return (
      <p className="text-sm text-muted">
        <Link
          to="/auth/login?redirectTo=/account/verify-email"
          className="underline underline-offset-4 hover:text-text"
        >
          Log in
        </Link>{" "}
        to send a new link.
      </p>
    );
  }
  return (
    <>
      <p className="text-sm text-muted">
        Open the link in the email we sent to <b className="font-medium break-all text-text">{email}</b>. Wrong address?{" "}
        <Link to="/dashboard/account" className="underline underline-offset-4 hover:text-text">
          Change it
        </Link>
        .
      </p>
      <ActionForm intent="resend" result={null}>
        <SubmitButton variant="secondary">Send a new link</SubmitButton>
      </ActionForm>
    </>
  );
}
