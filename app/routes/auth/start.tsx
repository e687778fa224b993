import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { authPath } from "#app/accounts/sign-in/auth-page.tsx";
import { loadAuthPage } from "#app/accounts/sign-in/auth-page-loader.server.ts";
import { Welcome } from "#app/native/onboarding/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [
  { title: `Welcome · ${PRODUCT_NAME}` },
  { name: "description", content: "Order followers, likes and views from one catalog with one balance." },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return await loadAuthPage({ request, context });
}

export default function AuthStart() {
  const { redirectTo } = useLoaderData<typeof loader>();
  return <Welcome signUpTo={authPath("/auth/signup", redirectTo)} logInTo={authPath("/auth/login", redirectTo)} />;
}
