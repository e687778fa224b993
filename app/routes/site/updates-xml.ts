import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { textToHtml } from "#app/email/escape-html.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { respondIfChanged } from "#app/http/responses/conditional.ts";
import { escapeXml } from "#app/http/responses/escape-xml.ts";
import { changedTerms, kindOfChange } from "#app/orders/catalog/service-change-text.ts";
import { listNews, type ServiceChange } from "#app/orders/catalog/service-changes.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { readUpdates } from "#app/site-settings/updates.server.ts";

const ITEMS = 50;
const TITLE_CHARS = 80;
const HEADERS = {
  "Content-Type": "application/rss+xml; charset=utf-8",
  "Cache-Control": "public, max-age=300",
};
type Update = Awaited<ReturnType<typeof readUpdates>>[number];

const TITLES = { added: "On sale", changed: "Changed", removed: "Off sale" };

/** Serves the newest service updates and the announcements on the page of updates as RSS 2.0, newest first. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const [{ changes }, updates] = await Promise.all([
    listNews(context.replicaDb, { before: null, limit: ITEMS }),
    readUpdates(context.replicaDb, Date.now()),
  ]);
  const origin = publicOrigin(context.env, request);
  const items = [
    ...updates.map((update) => ({ at: update.startsAt, xml: announcementItem(origin, update) })),
    ...changes.map((change) => ({ at: change.createdAt, xml: item(origin, change) })),
  ].sort((a, b) => b.at - a.at);
  const [newest] = items;
  const built = newest ? `\n    <lastBuildDate>${rssDate(newest.at)}</lastBuildDate>` : "";
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>${escapeXml(`${PRODUCT_NAME} service updates`)}</title>
    <link>${escapeXml(`${origin}/updates`)}</link>
    <description>${escapeXml(`New services, price changes and services taken off sale at ${PRODUCT_NAME}.`)}</description>
    <language>en-us</language>
    <atom:link rel="self" type="application/rss+xml" href="${escapeXml(`${origin}/updates.xml`)}"/>${built}
${items.map(({ xml: one }) => one).join("\n")}
  </channel>
</rss>
`;
  return respondIfChanged(request, xml, HEADERS);
}

function item(origin: string, change: ServiceChange): string {
  const { version, serviceId, createdAt } = change;
  const shown = change.after ?? change.before;
  const formats = formatsOf("en-US");
  const kind = kindOfChange(change);
  const price = shown && kind !== "changed" ? [`${formats.exactMoney(shown.rate)}, ${shown.min}–${shown.max}`] : [];
  const lines = [`${shown?.category} · ID ${serviceId}`, ...price, ...changedTerms(change, formats)];
  // The page that begins with this change: on the first page it would move down, and off it.
  const link = `${origin}/updates?before=${version + 1}#change-${version}`;
  return `    <item>
      <title>${escapeXml(`${TITLES[kind]}: ${shown?.name}`)}</title>
      <link>${escapeXml(link)}</link>
      <guid isPermaLink="false">${escapeXml(`${origin}/updates#change-${version}`)}</guid>
      <pubDate>${rssDate(createdAt)}</pubDate>
      <description>${escapeXml(textToHtml(lines.join("\n")))}</description>
    </item>`;
}

function announcementItem(origin: string, { id, body, link, linkLabel, startsAt }: Update): string {
  const address = `${origin}/updates#announcement-${id}`;
  const text = link === null ? body : `${body}\n${linkLabel}: ${new URL(link, origin)}`;
  return `    <item>
      <title>${escapeXml(titleOf(body))}</title>
      <link>${escapeXml(address)}</link>
      <guid isPermaLink="false">${escapeXml(address)}</guid>
      <pubDate>${rssDate(startsAt)}</pubDate>
      <description>${escapeXml(textToHtml(text))}</description>
    </item>`;
}

/** Returns the beginning of a text, cut between two characters. */
function titleOf(body: string): string {
  const characters = [...body];
  return characters.length <= TITLE_CHARS ? body : `${characters.slice(0, TITLE_CHARS).join("")}…`;
}

/** Returns a time as RFC 822 has it, with the year in four digits. */
function rssDate(ms: number): string {
  return new Date(ms).toUTCString();
}
