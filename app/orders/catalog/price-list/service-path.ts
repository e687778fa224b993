import { cutText } from "#app/cut-text.ts";
import { PRICE_LIST_PATH } from "./price-list-paths.ts";

const SLUG_MAX_CHARS = 60;

/** Returns the address of a service's page. Its ID alone decides; the words are for people. */
export function servicePath({ id, name }: { id: number; name: string }): `/services/${string}` {
  const slug = cutText(
    name
      .normalize("NFKD")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-"),
    SLUG_MAX_CHARS,
  ).replaceAll(/^-|-$/g, "");
  return `${PRICE_LIST_PATH}/${id}${slug === "" ? "" : `-${slug}`}`;
}
