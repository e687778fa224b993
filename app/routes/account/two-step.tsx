import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Form, useFetcher, useLoaderData } from "@remix-run/react";
import ShieldAlert from "lucide-react/icons/shield-alert";
import { renderSVG } from "uqr";
import { PasskeyCard } from "#app/accounts/factors/cards/passkey-card.tsx";
import { RecoveryCodeList } from "#app/accounts/factors/cards/recovery-code-list.tsx";
import { TotpCard } from "#app/accounts/factors/cards/totp-card.tsx";
import {
  type Factors,
  factorsOf,
  hasFactor,
  lacksSecondStep,
  mustKeepFactor,
} from "#app/accounts/factors/factors.server.ts";
import { type FactorsResult, submitFactorsForm } from "#app/accounts/factors/factors-form.server.ts";
import { needsSetupLink, openSetupLink } from "#app/accounts/factors/staff-setup-links.server.ts";
import { pendingTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { requireHeldViewer, TWO_STEP_PATH, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { deviceName } from "#app/accounts/visit/device-name.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const OPEN_LINK = "open-setup-link";
const LINK_REFUSED = "This link was used or has expired, or it is for another account.";

export const meta: MetaFunction = () => [{ title: `Two-step login · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { db, env } = context;
  const viewer = await requireHeldViewer(request, context);
  const [factors, setup] = await Promise.all([factorsOf(db, viewer.userId), pendingTotpSetup(db, env, viewer)]);
  requireSecondFactor(viewer, factors);
  const token = new URL(request.url).searchParams.get("link");
  const needsLink = await needsSetupLink(context, viewer, factors);
  if (token !== null && !needsLink) throw redirect(TWO_STEP_PATH);
  return {
    isHeld: viewer.isHeld,
    needsLink,
    emailConfirmed: viewer.emailConfirmed,
    email: viewer.email,
    token,
    factors,
    hasFactor: hasFactor(factors),
    // Hides the key of an app from sessions without the link, because it may be the owner's.
    setup: needsLink ? null : setup && { secret: setup.secret, qrCode: qrCode(setup.url) },
    device: deviceName(request.headers.get("User-Agent") ?? ""),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireHeldViewer(request, context);
  const factors = await factorsOf(context.db, viewer.userId);
  requireSecondFactor(viewer, factors);
  requireRecentProof(request, viewer);
  if (await needsSetupLink(context, viewer, factors)) {
    const isOpened =
      form.get("intent") === OPEN_LINK && (await openSetupLink(context.db, viewer, formText(form, "token")));
    if (isOpened) throw redirect(TWO_STEP_PATH);
    return data<FactorsResult>({ intent: OPEN_LINK, ok: false, message: LINK_REFUSED, values: {} }, 403);
  }
  const visit = await readVisit(context, request);
  const outcome = await submitFactorsForm({
    context,
    visit,
    viewer,
    form,
    mustKeepOne: mustKeepFactor(context.env, viewer),
  });
  if (!outcome) throw data(null, 404);
  return respondToForm<FactorsResult>(request, outcome);
}

/** Throws a redirect to the second step, if this session has to take it first. */
function requireSecondFactor(viewer: Viewer, factors: Factors): void {
  if (lacksSecondStep(viewer, factors)) throw redirect(authPath("/auth/second-step", TWO_STEP_PATH));
}

/** Draws dark modules on white in both themes, because scanners expect that. */
function qrCode(url: string): string {
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(url, { border: 2, pixelSize: 4 }))}`;
}

export default function TwoStepLogin() {
  const { isHeld, needsLink, emailConfirmed, token, email, factors, hasFactor, setup, device } =
    useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  if (needsLink) return <SetupLink token={token} email={email} result={result} />;
  return (
    <>
      <h1 className="text-2xl">Two-step login</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        A second step protects your account even if somebody learns your password.
      </p>
      <div className="mt-6 flex flex-col gap-8">
        {isHeld && (
          <p className="flex items-start gap-2 rounded-md bg-warn-wash px-3 py-2.5 text-sm text-warn">
            <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            Your role requires a second step. Add a passkey or an authenticator app to continue.
          </p>
        )}
        {emailConfirmed ? (
          <>
            {result?.codes && <RecoveryCodeList codes={result.codes} />}
            <PasskeyCard passkeys={factors.passkeys} deviceName={device} result={result} />
            <TotpCard hasTotp={factors.hasTotp} setup={setup} result={result} />
            {hasFactor && <RecoveryCodesCard left={factors.recoveryCodesLeft} />}
          </>
        ) : (
          <ConfirmFirst email={email} />
        )}
      </div>
    </>
  );
}

/** Stands in for the forms while the address is unconfirmed: whoever signed up may not own it. */
function ConfirmFirst({ email }: { email: string }) {
  return (
    <Form
      method="post"
      action="/account/verify-email"
      className="rounded-md bg-warn-wash px-3 py-2.5 text-sm break-words text-warn"
    >
      Confirm your email address first. Open the link we sent to {email}.{" "}
      <button type="submit" name="intent" value="resend" className="cursor-pointer underline underline-offset-4">
        Send a new link
      </button>
    </Form>
  );
}

/** Tells staff without a second factor how to get a setup link. */
function SetupLink({ token, email, result }: { token: string | null; email: string; result: FormResult | null }) {
  return (
    <>
      <h1 className="text-2xl">Two-step login</h1>
      <p className="mt-2 mb-8 max-w-prose text-sm text-muted">
        Your role requires a second step. Setting up the first one takes a setup link, so that a stolen password isn't
        enough.
      </p>
      <div className="flex max-w-prose flex-col items-start gap-5 text-sm">
        {result && !result.ok && <Notice tone="bad">{result.message}</Notice>}
        {token !== null && !result ? (
          <ActionForm intent={OPEN_LINK} hidden={{ token }} result={null}>
            <p>
              You are logged in as <b className="font-medium break-all">{email}</b>. The link works once, in this
              browser, and gives you 30 minutes for the setup.
            </p>
            <SubmitButton size="large" className="self-start">
              Start setup
            </SubmitButton>
          </ActionForm>
        ) : (
          <>
            <p>We emailed you a link when you got your role. It works once and expires in 24 hours.</p>
            <p>
              No link, or it has expired? Ask another admin to send you a new one from your account's page. If you are
              the first admin, run this where {PRODUCT_NAME} is deployed from:
            </p>
            <code className="max-w-full rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">
              npm run admin -- {email} admin --remote
            </code>
          </>
        )}
      </div>
    </>
  );
}

function RecoveryCodesCard({ left }: { left: number }) {
  const fetcher = useFetcher<FactorsResult | null>();
  return (
    <Card title="Recovery codes" titleId="recovery-codes">
      <div className="flex flex-col items-start gap-4">
        {fetcher.data?.codes && <RecoveryCodeList codes={fetcher.data.codes} />}
        <p className="max-w-prose text-sm text-muted">
          {left === 0 ? "You have no recovery codes left." : `You have ${left} of 10 recovery codes left.`} Each logs
          you in once, without your passkeys and your app.
        </p>
        <ConfirmButton
          sender={fetcher}
          asksIdentity
          fields={{ intent: "new-codes" }}
          variant="secondary"
          confirmVariant="primary"
          button="Create new codes"
          question="Create new recovery codes?"
          description="Your earlier codes stop working."
          confirm="Create new codes"
          keep="Keep my codes"
        />
      </div>
    </Card>
  );
}
