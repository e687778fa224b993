import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { escapeXml } from "#app/http/responses/escape-xml.ts";
import { servicePath } from "#app/orders/catalog/price-list/service-path.ts";
import { PUBLIC_PAGES } from "#app/public-pages.ts";

/** A sitemap may have 50,000 addresses and 50 MB. */
const MAX_ADDRESSES = 20_000;
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Lists the public pages and those of all services on sale. If one file can't hold them, it becomes the index of its parts. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { services } = await context.catalog.listed(context.replicaDb);
  const paths = [...PUBLIC_PAGES.map(({ path }) => path), ...services.map(servicePath)];
  const parts = Math.ceil(paths.length / MAX_ADDRESSES);
  const { searchParams } = new URL(request.url);
  const part = Number(searchParams.get("part") ?? 0);
  if (parts > 1 && !searchParams.has("part")) {
    const addresses = Array.from({ length: parts }, (_, at) => `/sitemap.xml?part=${at}`);
    return respondXml(request, "sitemapindex", "sitemap", addresses);
  }
  if (!(Number.isInteger(part) && part >= 0 && part < parts)) return new Response(null, { status: 404 });
  return respondXml(request, "urlset", "url", paths.slice(part * MAX_ADDRESSES, (part + 1) * MAX_ADDRESSES));
}

function respondXml(request: Request, root: string, entry: string, paths: string[]): Response {
  const entries = paths.map((path) => {
    const address = escapeXml(new URL(path, request.url).href);
    return `  <${entry}><loc>${address}</loc></${entry}>`;
  });
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="${NAMESPACE}">
${entries.join("\n")}
</${root}>
`;
  return new Response(xml, {
    headers: { "Content-Type": "application/xml; charset=utf-8", "Cache-Control": "public, max-age=3600" },
  });
}
