import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import ShieldAlert from "lucide-react/icons/shield-alert";
import { renderSVG } from "uqr";
import { deviceName } from "#app/accounts/events/device-name.ts";
import { type Factors, factorsOf, hasFactor, hasSecondStep } from "#app/accounts/factors/factors.server.ts";
import { type FactorsResult, submitFactorsForm } from "#app/accounts/factors/factors-form.server.ts";
import { PasskeyCard } from "#app/accounts/factors/passkey-card.tsx";
import { RecoveryCodeList } from "#app/accounts/factors/recovery-code-list.tsx";
import { pendingTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { TotpCard } from "#app/accounts/factors/totp-card.tsx";
import {
  requireHeldViewer,
  requiresStaffFactor,
  TWO_STEP_PATH,
  type Viewer,
} from "#app/accounts/session/viewer.server.ts";
import { authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Two-step login · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { db, env } = context;
  const viewer = await requireHeldViewer(request, context);
  const [factors, setup] = await Promise.all([factorsOf(db, viewer.userId), pendingTotpSetup(db, env, viewer)]);
  requireSecondFactor(viewer, factors);
  return {
    isHeld: viewer.isHeld,
    factors,
    hasFactor: hasFactor(factors),
    setup: setup && { secret: setup.secret, qrCode: qrCode(setup.url) },
    device: deviceName(request.headers.get("User-Agent") ?? ""),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireHeldViewer(request, context);
  requireSecondFactor(viewer, await factorsOf(context.db, viewer.userId));
  requireRecentProof(request, viewer);
  const outcome = await submitFactorsForm({
    context,
    request,
    viewer,
    form,
    mustKeepOne: isStaff(viewer) && requiresStaffFactor(context.env),
  });
  if (!outcome) throw data(null, 404);
  return respondToForm<FactorsResult>(request, outcome);
}

/**
 * Throws a redirect to the second step, if this session took none and the account has a factor to take it with.
 * Otherwise the password alone would change or replace what protects the account from whoever knows it.
 */
function requireSecondFactor({ isHeld, secondFactorAt }: Viewer, factors: Factors): void {
  const isProtected = isHeld ? hasFactor(factors) : hasSecondStep(factors);
  if (secondFactorAt === null && isProtected) throw redirect(authPath("/auth/second-step", TWO_STEP_PATH));
}

function isStaff({ role, isHeld }: Viewer): boolean {
  return isHeld || role !== "customer";
}

/** Draws dark modules on white in both themes, because scanners expect that. */
function qrCode(url: string): string {
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(url, { border: 2, pixelSize: 4 }))}`;
}

export default function TwoStepLogin() {
  const { isHeld, factors, hasFactor, setup, device } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
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
        {result?.codes && <RecoveryCodeList codes={result.codes} />}
        <PasskeyCard passkeys={factors.passkeys} deviceName={device} result={result} />
        <TotpCard hasTotp={factors.hasTotp} setup={setup} result={result} />
        {hasFactor && <RecoveryCodesCard left={factors.recoveryCodesLeft} />}
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
