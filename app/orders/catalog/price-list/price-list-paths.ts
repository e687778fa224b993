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
