import type { MetaFunction } from "@remix-run/cloudflare";
import { Introduction } from "#app/native/onboarding/introduction.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [
  { title: `Introduction · ${PRODUCT_NAME}` },
  { name: "robots", content: "noindex" },
];

export const handle = { bare: true };

/** Shows the introduction of the app. Sets no flag. */
export default function OnboardingDemo() {
  return <Introduction doneTo="/" besideChat />;
}
