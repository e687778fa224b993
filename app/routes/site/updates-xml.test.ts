import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { announcements, serviceChanges, services } from "#app/db/schema.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { db, service } from "#tests/workerd/customer.ts";

const ODD = `Odd ]]> <script>alert("1")</script> & &amp; 'x' 👍🏽 \u202e`;
const FORBIDDEN = "\u0001\u000b\u001f\ufffe\uffff";
const RFC_822 = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

test("serves the updates as RSS 2.0: a channel that names itself, and items with a date and an id that stay", async () => {
  const id = await service({ name: "Fed", rate: 2_600_000 });
  await db.update(services).set({ rate: 3_100_000 }).where(eq(services.id, id));
  const { response, channel, items } = await feed();
  expect(response.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
  expect(textOf(channel, "link")).toBe(`${SITE}/updates`);
  expect(textOf(channel, "title")).toBe("Growline service updates");
  expect(textOf(channel, "description")).not.toBe("");
  expect(channel).toContain(`<atom:link rel="self" type="application/rss+xml" href="${SITE}/updates.xml"/>`);
  const [newest = "", before = ""] = items;
  expect(textOf(newest, "title")).toBe("Changed: Fed");
  expect(textOf(newest, "description")).toContain("Price $2.60 → $3.10");
  expect(textOf(newest, "pubDate")).toMatch(RFC_822);
  expect(textOf(channel, "lastBuildDate")).toBe(textOf(newest, "pubDate"));
  expect(textOf(before, "title")).toBe("On sale: Fed");
  const guids = items.map((item) => /<guid isPermaLink="false">([^<]+)<\/guid>/.exec(item)?.[1]);
  expect(guids).not.toContain(undefined);
  expect(new Set(guids).size).toBe(items.length);

  const [address, link] = [textOf(newest, "guid"), textOf(newest, "link")];
  for (let n = 0; n < 60; n++) await service();
  // It has left the feed and the first page. Its link still leads to it.
  expect((await feed()).xml).not.toContain(`${address}<`);
  const page = await (await SELF.fetch(link)).text();
  expect(/id="(change-\d+)"/.exec(page)?.[1]).toBe(new URL(link).hash.slice(1));
});

test("has the announcements that the page of updates shows, among the changes by time, and no banner", async () => {
  const now = Date.now();
  const row = {
    audience: "everyone",
    linkLabel: null,
    link: null,
    endsAt: now + 60_000,
    changedBy: "a",
    changedAt: 1,
  } as const;
  await db.insert(announcements).values([
    {
      ...row,
      kind: "update",
      startsAt: now - 1000,
      body: `Long & <odd> ${"👍🏽".repeat(60)}`,
      link: "/updates",
      linkLabel: "Read",
    },
    { ...row, kind: "update", startsAt: now - 900_000_000, body: "An old one" },
    { ...row, kind: "update", startsAt: now + 30_000, body: "Not yet" },
    { ...row, kind: "banner", startsAt: now - 1000, body: "A banner" },
  ]);
  const { xml, items } = await feed();
  const [first = "", last = ""] = [items.find((item) => item.includes("Long")), items.at(-1)];
  expect(textOf(first, "title")).toMatch(/^Long & <odd> .*…$/u);
  expect(textOf(first, "description")).toContain(`${SITE}/updates`);
  expect(textOf(first, "link")).toMatch(/\/updates#announcement-\d+$/);
  expect(textOf(last, "title")).toBe("An old one");
  expect(xml).not.toMatch(/Not yet|A banner/);
  await db.delete(announcements);
});

test("stays well-formed whatever staff or a provider name a service, and runs no markup in a reader", async () => {
  const id = await service({ name: ODD + FORBIDDEN, category: ODD + FORBIDDEN });
  await db.update(services).set({ name: "Renamed", category: "Plain" }).where(eq(services.id, id));
  const { items } = await feed();
  const [renamed = "", added = ""] = items;
  expect(textOf(added, "title")).toBe(`On sale: ${ODD}`);
  // A description is HTML, in which a name is text, too.
  expect(textOf(renamed, "description")).toContain(
    "Name before: Odd ]]&gt; &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;",
  );
  expect(textOf(added, "description")).not.toContain("<script");
});

test("is a feed without changes, too, and the same text until there is one", async () => {
  await db.delete(serviceChanges);
  const empty = await feed();
  expect(empty.items).toEqual([]);
  expect(empty.channel).not.toContain("lastBuildDate");
  const headers = { "If-None-Match": empty.response.headers.get("ETag") ?? "" };
  expect((await SELF.fetch(`${SITE}/updates.xml`, { headers })).status).toBe(304);
  await service();
  expect((await SELF.fetch(`${SITE}/updates.xml`, { headers })).status).toBe(200);
});

/** Returns the feed, its channel without the items, and its items. */
async function feed() {
  const response = await SELF.fetch(`${SITE}/updates.xml`);
  const xml = await response.text();
  expectXml(xml);
  const items = [...xml.matchAll(/<item>.*?<\/item>/gs)].map(([item]) => item);
  const channel =
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<rss version="2\.0" [^>]*>\s*<channel>.*<\/channel>\s*<\/rss>\s*$/s;
  expect(xml).toMatch(channel);
  return { response, xml, channel: xml.replaceAll(/<item>.*?<\/item>/gs, ""), items };
}

/** Returns what a parser gives for the first element of this name. */
function textOf(xml: string, element: string): string {
  const text = new RegExp(`<${element}(?: [^>]*)?>([^<]*)</${element}>`).exec(xml)?.[1] ?? "";
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  return text.replaceAll(/&(\w+);/g, (_, name: string) => entities[name] ?? "");
}

/** Throws unless a text is well-formed: allowed characters, known entities, and elements that end in order. */
function expectXml(xml: string): void {
  expect(xml).toMatch(/^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u);
  expect(xml.replaceAll(/&(amp|lt|gt|quot);/g, "")).not.toContain("&");
  const open: string[] = [];
  const tags = /<(\/?)([A-Za-z:]+)((?: [A-Za-z:]+="[^"<]*")*)(\/?)>/g;
  for (const [, end, name = "", , empty] of xml.matchAll(tags)) {
    if (end) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name);
  }
  expect(open).toEqual([]);
  expect(xml.replace(/^<\?xml [^?]*\?>/, "").replaceAll(tags, "")).not.toMatch(/[<]|\]\]>/);
}
