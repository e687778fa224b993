import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { AFTER_SIGN_IN, AuthPage, authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { loadAuthPage } from "#app/accounts/sign-in/auth-page-loader.server.ts";
import { logInBy } from "#app/accounts/sign-in/log-in-door.server.ts";
import { LogInForm } from "#app/accounts/sign-in/log-in-form.tsx";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { describePage } from "#app/components/page/page-meta.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { useAppSignIn } from "#app/native/gate/use-app-sign-in.ts";
import { readOrderOnTheWay } from "#app/orders/placing/planned-order.server.ts";
import { OrderOnTheWay } from "#app/orders/placing/planned-order-line.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Log in · ${PRODUCT_NAME}`,
    description: `Log in to your ${PRODUCT_NAME} account: orders, balance and API keys.`,
    path: "/auth/login",
  });

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { redirectTo } = await loadAuthPage({ request, context });
  return { redirectTo, order: await readOrderOnTheWay(context.replicaDb, redirectTo) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const redirectTo = safePath(form.get("redirectTo"), AFTER_SIGN_IN);
  const visit = await readVisit(context, request);
  const way = form.get("intent") === "passkey" ? "passkey" : "password";
  const answer = await logInBy(way, Object.assign(request, { context, visit, form }), redirectTo);
  if (!("refused" in answer)) return answer;
  const { refused: result, status, headers } = answer;
  return data({ redirectTo, result }, { status, headers });
}

export default function LogIn() {
  const loaded = useLoaderData<typeof loader>();
  const submitted = useActionResult<typeof action>();
  const redirectTo = submitted?.redirectTo ?? loaded.redirectTo;
  useAppSignIn();
  return (
    <AuthPage title="Log in" lead={`Welcome back to ${PRODUCT_NAME}.`}>
      <OrderOnTheWay order={loaded.order} />
      <LogInForm result={submitted?.result} redirectTo={redirectTo} />
      <p className="mt-6 text-sm text-muted">
        New here?{" "}
        <Link to={authPath("/auth/signup", redirectTo)} className="text-text underline underline-offset-4">
          Create an account
        </Link>
      </p>
    </AuthPage>
  );
}
