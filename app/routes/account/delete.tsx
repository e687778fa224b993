import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { DeleteForm } from "#app/accounts/deletion/delete-form.tsx";
import { startDeletion } from "#app/accounts/deletion/start-deletion.server.ts";
import { factorsOf, hasFactor } from "#app/accounts/factors/factors.server.ts";
import { deletionInput } from "#app/accounts/forms/account-input.ts";
import { WRONG_PASSWORD } from "#app/accounts/password/password-texts.ts";
import { forgetWebSession, readHeldViewer, requireViewer, TWO_STEP_PATH } from "#app/accounts/session/viewer.server.ts";
import { requireFactorProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { Money } from "#app/components/formats/money-amount.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { deleteAccount } from "#app/delete-account.server.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { logError } from "#app/http/log.ts";
import { parseForm, readForm } from "#app/http/requests/read-form.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { readCaller } from "#app/support/room/room-access.server.ts";
import { deleteSupportConversation } from "#app/support/support-personal-data.server.ts";

export const meta: MetaFunction = () => [{ title: `Delete your account · ${PRODUCT_NAME}` }];

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await readHeldViewer(request, context);
  if (viewer?.isHeld) throw redirect(TWO_STEP_PATH);
  if (!viewer) return { email: null, balance: 0, asksFactor: false };
  const [balance, factors] = await Promise.all([
    readBalance(context.db, viewer.userId),
    factorsOf(context.db, viewer.userId),
  ]);
  return { email: viewer.email, balance, asksFactor: hasFactor(factors) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireViewer(request, context);
  await requireFactorProof(request, context.db, viewer);
  const parsed = parseForm(form, deletionInput, { secrets: ["password"] });
  if (!parsed.ok) return data(parsed.result, 400);
  const visit = await readVisit(context, request);
  const started = await startDeletion(context, visit, viewer, parsed.input.password);
  if (!started.ok && started.reason === "too_many") return data(parsed.refuse({ message: started.text }), started);
  if (!started.ok) return data(parsed.refuse({ fieldErrors: { password: WRONG_PASSWORD } }), 400);
  let message = "Your account was deleted.";
  try {
    await deleteAccount(context.db, context.env, viewer.userId);
    // This browser's conversation from before it logged in.
    const { anonymousId } = await readCaller(request, context.env, null);
    if (anonymousId) await deleteSupportConversation(context.env.SUPPORT_ROOM, anonymousId);
  } catch (error) {
    logError("account deletion interrupted", error, { request_id: context.requestId });
    message = "Your account is closed. We'll delete the rest of your data within minutes.";
  }
  const headers = new Headers({ "Set-Cookie": await forgetWebSession(context, request) });
  headers.append("Set-Cookie", await flashCookie(request, message));
  return redirect("/", { headers });
}

/** Explains deletion to visitors too, because app stores link to this page. */
export default function DeleteAccount() {
  const { email, balance, asksFactor } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  return (
    <>
      <h1 className="text-2xl">Delete your account</h1>
      {email === null ? (
        <p className="mt-2 max-w-prose text-sm text-muted">
          To delete your {PRODUCT_NAME} account, log in and confirm with your password. This can't be undone.
        </p>
      ) : (
        <p className="mt-2 max-w-prose text-sm text-muted">
          This deletes the account of <b className="font-medium break-all text-text">{email}</b>. This can't be undone.
          You may want to{" "}
          <Link
            to="/dashboard/account/export"
            reloadDocument
            data-asks-identity
            className="text-text underline underline-offset-4"
          >
            download your data
          </Link>{" "}
          first.
        </p>
      )}
      <div className="mt-6 grid gap-6 sm:grid-cols-2">
        <section aria-labelledby="goes" className="rounded-md border border-line bg-raised p-4 text-sm sm:p-5">
          <h2 id="goes" className="text-sm">
            We delete
          </h2>
          <ul className="mt-2 flex list-disc flex-col gap-1.5 pl-5 text-muted marker:text-line-strong">
            <li>Your name, email address and password</li>
            <li>Your sessions on all devices, API keys, webhooks and favorites</li>
            <li>Your support conversation</li>
            <li>Your uploads</li>
            <li>Your Gmail connection and everything we read from it</li>
            <li>Links and details of your orders. Orders that haven't started are canceled.</li>
            {email === null && <li>Your access to your balance. It isn't paid out.</li>}
            {balance > 0 && (
              <li>
                Your access to your balance of <Money micro={balance} />. It isn't paid out.
              </li>
            )}
          </ul>
        </section>
        <section aria-labelledby="stays" className="rounded-md border border-line bg-raised p-4 text-sm sm:p-5">
          <h2 id="stays" className="text-sm">
            We keep
          </h2>
          <p className="mt-2 text-muted">
            Service, quantity, delivery, charge, date and status of your orders, with your payments and ledger entries,
            because our books must balance. They are kept under an anonymous ID.
          </p>
          <p className="mt-2 text-muted">
            Orders already sent to a provider are delivered, and the provider may keep their details.{" "}
            <Link to="/privacy-policy" className="text-text underline underline-offset-4">
              Privacy policy
            </Link>
          </p>
        </section>
      </div>
      <div className="mt-8">
        {email === null ? (
          <div className="flex flex-wrap gap-3">
            <ButtonLink to="/auth/login?redirectTo=%2Faccount%2Fdelete" size="large">
              Log in to delete your account
            </ButtonLink>
            <ButtonLink to="/reset-password" variant="quiet" size="large">
              Forgot your password?
            </ButtonLink>
          </div>
        ) : (
          <DeleteForm result={result} asksIdentity={asksFactor} />
        )}
      </div>
    </>
  );
}
