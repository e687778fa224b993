import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { signUpInput } from "#app/accounts/forms/account-input.ts";
import { AFTER_SIGN_IN, AuthPage, authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { loadAuthPage } from "#app/accounts/sign-in/auth-page-loader.server.ts";
import { signUp } from "#app/accounts/sign-in/sign-in.server.ts";
import { SignUpForm } from "#app/accounts/sign-in/sign-up-form.tsx";
import { readVisit, signedInCookies } from "#app/accounts/visit/visit.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { describePage } from "#app/components/page/page-meta.ts";
import { parseForm, readForm } from "#app/http/requests/read-form.ts";
import { safePath } from "#app/http/requests/safe-path.ts";
import { ORDER_FORM_PATH, orderQueryIn, readOrderOnTheWay } from "#app/orders/placing/planned-order.server.ts";
import { OrderOnTheWay } from "#app/orders/placing/planned-order-line.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Sign up · ${PRODUCT_NAME}`,
    description: `Create a ${PRODUCT_NAME} account. All you need is an email address and a password.`,
    path: "/auth/signup",
  });

// Passes on Retry-After when the action refuses too many attempts.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

/** The calculator of the landing page leads here without scripts too, with its service and quantity in the URL. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = orderQueryIn(new URL(request.url).searchParams);
  const { redirectTo } = await loadAuthPage(
    { request, context },
    query === "" ? AFTER_SIGN_IN : `${ORDER_FORM_PATH}?${query}`,
  );
  return { redirectTo, order: await readOrderOnTheWay(context.replicaDb, redirectTo) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const redirectTo = safePath(form.get("redirectTo"), AFTER_SIGN_IN);
  const parsed = parseForm(form, signUpInput, { secrets: ["password"] });
  if (!parsed.ok) return data({ redirectTo, result: parsed.result }, 400);
  const visit = await readVisit(context, request);
  const made = await signUp(context, visit, { ...parsed.input, next: redirectTo });
  if (!made.ok) {
    const { field, text, status, headers } = made;
    const result = parsed.refuse(field ? { fieldErrors: { [field]: text } } : { message: text });
    return data({ redirectTo, result }, { status, headers });
  }
  const headers = new Headers();
  for (const cookie of await signedInCookies(context.env, visit, made)) headers.append("Set-Cookie", cookie);
  return redirect(redirectTo, { headers });
}

export default function SignUpPage() {
  const loaded = useLoaderData<typeof loader>();
  const submitted = useActionResult<typeof action>();
  const redirectTo = submitted?.redirectTo ?? loaded.redirectTo;
  return (
    <AuthPage title="Create an account" lead="All you need is an email address and a password.">
      <OrderOnTheWay order={loaded.order} />
      <SignUpForm result={submitted?.result} redirectTo={redirectTo} />
      <p className="mt-6 text-sm text-muted">
        Already have an account?{" "}
        <Link to={authPath("/auth/login", redirectTo)} className="text-text underline underline-offset-4">
          Log in
        </Link>
      </p>
    </AuthPage>
  );
}
