import type { MetaFunction } from "@remix-run/cloudflare";
import { Welcome } from "#app/native/onboarding/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [
  { title: `Welcome · ${PRODUCT_NAME}` },
  { name: "robots", content: "noindex" },
];

/** Shows everybody the welcome page of the app. Sets no flag. */
export default function WelcomeDemo() {
  return <Welcome signUpTo="/auth/signup" logInTo="/auth/login" />;
}
