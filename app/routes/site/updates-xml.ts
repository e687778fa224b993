import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { respondIfChanged } from "#app/http/responses/conditional.ts";
import { changedTerms, kindOfChange } from "#app/orders/catalog/service-change-text.ts";
import { listNews, type ServiceChange } from "#app/orders/catalog/service-changes.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ENTRIES = 50;
const HEADERS = {
  "Content-Type": "application/atom+xml; charset=utf-8",
  "Cache-Control": "public, max-age=300",
};
const TITLES = { added: "On sale", changed: "Changed", removed: "Off sale" };

/** Serves the newest service updates as an Atom feed. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { changes } = await listNews(context.db, { before: null, limit: ENTRIES });
  const origin = publicOrigin(context.env, request);
  const updated = new Date(changes[0]?.createdAt ?? 0).toISOString();
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>${escapeXml(`${PRODUCT_NAME} service updates`)}</title>
  <id>${escapeXml(`${origin}/updates`)}</id>
  <link rel="alternate" type="text/html" href="${escapeXml(`${origin}/updates`)}"/>
  <link rel="self" type="application/atom+xml" href="${escapeXml(`${origin}/updates.xml`)}"/>
  <updated>${updated}</updated>
  <author><name>${escapeXml(PRODUCT_NAME)}</name></author>
${changes.map((change) => entry(origin, change)).join("\n")}
</feed>
`;
  return respondIfChanged(request, xml, HEADERS);
}

function entry(origin: string, change: ServiceChange): string {
  const address = escapeXml(`${origin}/updates#change-${change.version}`);
  const shown = change.after ?? change.before;
  const formats = formatsOf("en-US");
  const kind = kindOfChange(change);
  const price = shown && kind !== "changed" ? [`${formats.exactMoney(shown.rate)}, ${shown.min}–${shown.max}`] : [];
  const lines = [`${shown?.category} · ID ${change.serviceId}`, ...price, ...changedTerms(change, formats)];
  return `  <entry>
    <title>${escapeXml(`${TITLES[kind]}: ${shown?.name}`)}</title>
    <id>${address}</id>
    <link rel="alternate" href="${address}"/>
    <updated>${new Date(change.createdAt).toISOString()}</updated>
    <content type="text">${escapeXml(lines.join("\n"))}</content>
  </entry>`;
}

/** Control characters, which XML can't have. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]/gu;

function escapeXml(text: string): string {
  return text
    .replaceAll(FORBIDDEN, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
