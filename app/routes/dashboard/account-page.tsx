import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { factorsOf, hasFactor, hasSecondStep } from "#app/accounts/factors/factors.server.ts";
import { submitAccountForm } from "#app/accounts/profile/account-form.server.ts";
import { readActivity } from "#app/accounts/profile/activity.server.ts";
import { ActivityList } from "#app/accounts/profile/activity-list.tsx";
import { EmailForm, NameForm, PasswordForm } from "#app/accounts/profile/profile-forms.tsx";
import { SessionList } from "#app/accounts/profile/session-list.tsx";
import { listSessions } from "#app/accounts/session/auth-sessions.server.ts";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireFactorProof, requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { deviceName } from "#app/accounts/visit/device-name.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { MoreLink } from "#app/components/navigation/more-link.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { isSuppressed } from "#app/email/suppressions.server.ts";
import { respondToForm } from "#app/form-response.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { LazyPushOffer } from "#app/push/client/lazy-push-offer.tsx";

/** Intents that need a recent proof. A stolen session could otherwise keep the owner out. */
const ENDS_SESSIONS = new Set(["end-session", "end-others"]);
/** Intents whose form asks for the password, which is not enough where the account has another factor. */
const ASKS_PASSWORD = new Set(["email", "password"]);

export const meta: MetaFunction = () => [{ title: `Profile and security · ${PRODUCT_NAME}` }];

// Retry-After, when the action refused too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await requireViewer(request, context);
  const before = parseId(new URL(request.url).searchParams.get("before"));
  const [factors, sessions, activity, emailsReturn] = await Promise.all([
    factorsOf(context.db, viewer.userId),
    listSessions(context.db, viewer.userId),
    readActivity(context.db, viewer.userId, before),
    isSuppressed(context.db, viewer.email),
  ]);
  return {
    email: viewer.email,
    emailsReturn,
    fullName: viewer.fullName,
    activity,
    hasTwoSteps: hasSecondStep(factors),
    asksFactor: hasFactor(factors),
    sessions: sessions.map(({ userAgent, ...session }) => ({
      ...session,
      device: deviceName(userAgent),
      current: session.id === viewer.sessionId,
    })),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireViewer(request, context);
  const intent = formText(form, "intent");
  if (ENDS_SESSIONS.has(intent)) requireRecentProof(request, viewer);
  if (ASKS_PASSWORD.has(intent)) await requireFactorProof(request, context.db, viewer);
  const visit = await readVisit(context, request);
  const outcome = await submitAccountForm(context, visit, viewer, form, programAccess(context.db, context.env));
  if (!outcome) throw data(null, 404);
  return respondToForm(request, outcome);
}

export default function Account() {
  const { email, emailsReturn, fullName, sessions, activity, hasTwoSteps, asksFactor } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <div className="max-w-3xl">
      <h1 className="text-2xl">Profile and security</h1>
      <div className="mt-6 flex flex-col gap-8">
        <Card title="Profile" titleId="profile">
          <NameForm result={result} fullName={fullName} />
        </Card>
        <Card title="Email address" titleId="email-address">
          <EmailForm result={result} email={email} emailsReturn={emailsReturn} asksIdentity={asksFactor} />
        </Card>
        <Card title="Password" titleId="password-card">
          <PasswordForm result={result} asksIdentity={asksFactor} />
        </Card>
        <Card title="Two-step login" titleId="two-step">
          <p className="max-w-prose text-sm text-muted">
            {hasTwoSteps
              ? "On. We ask for a second step after your password."
              : "Log in with a passkey, or protect your password with a second step."}
          </p>
          <ButtonLink to="/account/two-step" variant="secondary" className="mt-4">
            Manage two-step login
          </ButtonLink>
        </Card>
        <Card title="Logged-in devices" titleId="sessions" flush>
          <SessionList sessions={sessions} result={result} />
          <LazyPushOffer about="device" className="border-t border-line px-4 py-3 sm:px-5" />
        </Card>
        <Card title="Security activity" titleId="activity" flush>
          <ActivityList rows={activity.rows} />
          <MoreLink name="before" next={activity.next} keepScroll />
        </Card>
        <Card title="Your data" titleId="your-data">
          <p className="max-w-prose text-sm text-muted">
            One JSON file with everything we hold about you: account, orders, ledger, support chat, Gmail sync and
            uploads. It doesn't include passwords, keys or tokens.
          </p>
          <div className="mt-4 flex flex-wrap gap-3">
            <ButtonLink to="/dashboard/account/export" variant="secondary" reloadDocument data-asks-identity>
              Download your data
            </ButtonLink>
            <ButtonLink to="/account/delete" variant="danger">
              Delete account
            </ButtonLink>
          </div>
        </Card>
      </div>
    </div>
  );
}
