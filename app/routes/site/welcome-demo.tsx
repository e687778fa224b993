import type { MetaFunction } from "@remix-run/cloudflare";
import { Welcome } from "#app/native/onboarding/welcome.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [
  { title: `Welcome · ${PRODUCT_NAME}` },
  { name: "robots", content: "noindex" },
];

/** What somebody sees who has not signed in yet; shown to everybody, and no flag is touched. */
export default Welcome;
