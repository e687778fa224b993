import type { AppLoadContext, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { respondIfChanged } from "#app/http/responses/conditional.ts";
import type { TimedService } from "#app/orders/catalog/catalog.server.ts";
import { offersOfNetwork } from "#app/orders/catalog/landing-catalog.server.ts";
import { catalogOf, readCatalog } from "#app/orders/catalog/offers.server.ts";

/** How long a changed price may take to show in lists. The chosen service is always read fresh. */
const KEPT_SECONDS = 30;
/**
 * How long a network's offers at a version are used unasked. Not for good: a deployment may change what an offer has, and a
 * restored database counts its versions again.
 */
const KEPT_AT_VERSION_SECONDS = 60 * 60;

const HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": `public, max-age=${KEPT_SECONDS}`,
};
/** Rates of the customer's tier are theirs alone. */
const HEADERS_OF_TIER = { ...HEADERS, "Cache-Control": `private, max-age=${KEPT_SECONDS}` };
const HEADERS_AT_VERSION = { ...HEADERS, "Cache-Control": `public, max-age=${KEPT_AT_VERSION_SECONDS}` };

/**
 * Serves the catalog that browsers search locally, cached for everybody for KEPT_SECONDS. With `network` and `version`,
 * serves that network's offers of the landing page for KEPT_AT_VERSION_SECONDS. With `tier`, serves the catalog at the rates
 * of the signed-in customer, from memory. Cloudflare compresses all.
 */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const network = searchParams.get("network");
  if (network !== null) return serveNetwork(request, context, network, searchParams.get("version") ?? "");
  if (searchParams.has("tier")) {
    const { userId } = await requireViewer(request, context);
    const { services } = await context.catalog.timed(context.replicaDb, userId);
    return respondIfChanged(request, writtenOf(services), HEADERS_OF_TIER);
  }
  const cache = await caches.open("catalog");
  const address = new URL("/catalog.json", request.url).href;
  const kept = await cache.match(address);
  if (kept) return respondIfChanged(request, await kept.text(), HEADERS);
  const body = JSON.stringify(await readCatalog(context.replicaDb));
  context.waitUntil(cache.put(address, new Response(body, { headers: HEADERS })));
  return respondIfChanged(request, body, HEADERS);
}

/** Returns a list as text, written once for each array of services: at most one for each tier at a version. */
function writtenOf(services: TimedService[]): string {
  const known = written.get(services);
  if (known !== undefined) return known;
  const text = JSON.stringify(catalogOf(services));
  written.set(services, text);
  return text;
}

const written = new WeakMap<TimedService[], string>();

async function serveNetwork(
  request: Request,
  { replicaDb, catalog, waitUntil }: AppLoadContext,
  network: string,
  version: string,
): Promise<Response> {
  const cache = await caches.open("catalog");
  const address = new URL(`/catalog.json?${new URLSearchParams({ version, network })}`, request.url).href;
  const kept = await cache.match(address);
  if (kept) return respondIfChanged(request, await kept.text(), HEADERS_AT_VERSION);
  const listed = await catalog.listed(replicaDb);
  const offers = offersOfNetwork(listed.services, network);
  if (offers.length === 0) return new Response(null, { status: 404 });
  const body = JSON.stringify(offers);
  // Another version is what a page rendered before a change asks for. It gets what is on sale, which no cache may keep as that.
  if (String(listed.version) !== version) return respondIfChanged(request, body, HEADERS);
  waitUntil(cache.put(address, new Response(body, { headers: HEADERS_AT_VERSION })));
  return respondIfChanged(request, body, HEADERS_AT_VERSION);
}
