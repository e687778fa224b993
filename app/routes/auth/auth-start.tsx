import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { AFTER_SIGN_IN } from "#app/accounts/sign-in/auth-page.tsx";
import { Welcome } from "#app/native/onboarding/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [
  { title: `Welcome · ${PRODUCT_NAME}` },
  { name: "description", content: "Order followers, likes and views from one catalog with one balance." },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await readHeldViewer(request, context)) throw redirect(AFTER_SIGN_IN);
  return null;
}

export default Welcome;
