import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { loadAuthPage } from "#app/accounts/sign-in/auth-page-loader.server.ts";
import { Welcome } from "#app/native/onboarding/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [
  { title: `Welcome · ${PRODUCT_NAME}` },
  { name: "description", content: "Order followers, likes and views from one catalog with one balance." },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await loadAuthPage({ request, context });
  return null;
}

export default Welcome;
