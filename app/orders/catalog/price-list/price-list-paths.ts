export const PRICE_LIST_PATH = "/services";

/** The filters of the price list, as its URL has them. An empty text is no filter. */
export type PriceListQuery = { q: string; network: string; category: string };

/** Returns the address of the price list with these filters. Leaves out empty ones. */
export function priceListPath(query: Partial<PriceListQuery> & { page?: number }): "/services" | `/services?${string}` {
  const { q = "", network = "", category = "", page = 1 } = query;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ q, network, category })) if (value !== "") params.set(name, value);
  if (page > 1) params.set("page", String(page));
  const search = params.toString();
  return search === "" ? PRICE_LIST_PATH : `${PRICE_LIST_PATH}?${search}`;
}

const SLUG_MAX_CHARS = 60;

/** Returns the address of a service's page. Its ID alone decides; the words are for people. */
export function servicePath({ id, name }: { id: number; name: string }): `/services/${string}` {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX_CHARS)
    .replaceAll(/^-+|-+$/g, "");
  return `${PRICE_LIST_PATH}/${id}${slug === "" ? "" : `-${slug}`}`;
}
