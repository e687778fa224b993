import { data, type MetaFunction } from "@remix-run/cloudflare";
import { NotFound } from "#app/components/page/not-found.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Page not found · ${PRODUCT_NAME}` }];

export function loader() {
  return data(null, 404);
}

export function action() {
  return data(null, 404);
}

export default NotFound;
