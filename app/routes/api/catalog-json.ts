import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { respondIfChanged } from "#app/http/responses/conditional.ts";
import { readCatalog } from "#app/orders/catalog/offers.server.ts";

/** How long a changed price may take to show in lists. The chosen service is always read fresh. */
const KEPT_SECONDS = 30;

const HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": `public, max-age=${KEPT_SECONDS}`,
};

/** Serves the catalog that browsers search locally. Cached for everybody for KEPT_SECONDS. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const cache = await caches.open("catalog");
  const address = new URL("/catalog.json", request.url).href;
  const kept = await cache.match(address);
  if (kept) return respondIfChanged(request, await kept.text(), HEADERS);
  const body = JSON.stringify(await readCatalog(context.db));
  context.waitUntil(cache.put(address, new Response(body, { headers: HEADERS })));
  return respondIfChanged(request, body, HEADERS);
}
