import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { AuthPage } from "#app/accounts/sign-in/auth-page.tsx";
import { loadAuthPage } from "#app/accounts/sign-in/auth-page-loader.server.ts";
import { LogInForm } from "#app/accounts/sign-in/log-in-form.tsx";
import { SignUpForm } from "#app/accounts/sign-in/sign-up-form.tsx";
import { TabPanels } from "#app/components/ui/tab-panels.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Log in or sign up · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { redirectTo } = await loadAuthPage({ request, context });
  return { redirectTo, tab: new URL(request.url).searchParams.get("tab") === "signup" ? "signup" : "login" };
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
