import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { AFTER_SIGN_IN } from "#app/accounts/auth-page.tsx";
import { readViewer } from "#app/accounts/viewer.server.ts";
import { describePage } from "#app/components/page-meta.ts";
import { Welcome } from "#app/native/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Welcome · ${PRODUCT_NAME}`,
    description: "Followers, likes and views by the number, from one catalogue and one balance.",
    path: "/auth/start",
  });

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await readViewer(request, context)) throw redirect(AFTER_SIGN_IN);
  return null;
}

export default Welcome;
