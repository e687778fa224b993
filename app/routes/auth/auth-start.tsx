import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { AFTER_SIGN_IN } from "#app/accounts/sign-in/auth-page.tsx";
import { describePage } from "#app/components/page/page-meta.ts";
import { Welcome } from "#app/native/onboarding/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Welcome · ${PRODUCT_NAME}`,
    description: "Followers, likes and views by the number, from one catalog and one balance.",
    path: "/auth/start",
  });

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await readViewer(request, context)) throw redirect(AFTER_SIGN_IN);
  return null;
}

export default Welcome;
