import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { AFTER_SIGN_IN, AuthPage } from "#app/accounts/sign-in/auth-page.tsx";
import { LogInForm } from "#app/accounts/sign-in/log-in-form.tsx";
import { SignUpForm } from "#app/accounts/sign-in/sign-up-form.tsx";
import { TabPanels } from "#app/components/ui/tab-panels.tsx";
import { safePath } from "#app/http/requests/safe-path.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Log in or sign up · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const redirectTo = safePath(searchParams.get("redirectTo"), AFTER_SIGN_IN);
  if (await readHeldViewer(request, context)) throw redirect(redirectTo);
  return { redirectTo, tab: searchParams.get("tab") === "signup" ? "signup" : "login" };
}

export default function Auth() {
  const { redirectTo, tab } = useLoaderData<typeof loader>();
  const tabPath = (value: string) => `/auth?${new URLSearchParams({ tab: value, redirectTo })}`;
  return (
    <AuthPage title={`Your ${PRODUCT_NAME} account`} lead="Your orders, balance and API keys in one place.">
      <div className="rounded-md border border-line bg-raised">
        <TabPanels
          label="Log in or sign up"
          selected={tab}
          tabs={[
            {
              value: "login",
              label: "Log in",
              to: tabPath("login"),
              panel: <LogInForm result={undefined} redirectTo={redirectTo} />,
            },
            {
              value: "signup",
              label: "Sign up",
              to: tabPath("signup"),
              panel: <SignUpForm result={undefined} redirectTo={redirectTo} />,
            },
          ]}
        />
      </div>
    </AuthPage>
  );
}
