import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { AFTER_SIGN_IN, AuthPage } from "#app/accounts/auth-page.tsx";
import { readViewer } from "#app/accounts/viewer.server.ts";
import { ButtonLink } from "#app/components/button.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Welcome · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await readViewer(request, context)) throw redirect(AFTER_SIGN_IN);
  return null;
}

export default function Start() {
  return (
    <AuthPage title={`Welcome to ${PRODUCT_NAME}`} lead="Followers, likes and views by the number, from one balance.">
      <div className="flex flex-col gap-3">
        <ButtonLink to="/auth/signup" size="large">
          Create an account
        </ButtonLink>
        <ButtonLink to="/auth/login" size="large" variant="secondary">
          Log in
        </ButtonLink>
      </div>
    </AuthPage>
  );
}
