import { createExecutionContext, SELF, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { services, serviceTimes } from "#app/db/schema.server.ts";
import { MASS_MAX_LINES } from "#app/orders/mass/mass-lines.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import worker from "#workers/app.ts";

const SITE = "https://growline.example";
const FEW = 37;
const MANY = 5000;
/** What may come with the digits of larger numbers. */
const SLACK_BYTES = 200;
/** The catalog's version is read by the cache of pages and by the page, delivery times by the IDs of its lines. */
const QUERIES = 3;
const ROWS_PER_LINE = 3;

beforeEach(async () => {
  await db.delete(services);
});

test("sends about the same landing page with 5,000 services as with 37", async () => {
  await fill(1, FEW);
  const few = await weigh("/");
  await fill(FEW + 1, MANY);
  const many = await weigh("/");
  console.log(
    `landing page: ${few.bytes} bytes (${few.gzip} gzip) with ${FEW}, ${many.bytes} (${many.gzip}) with ${MANY}`,
  );
  expect(few.text).toContain("37 services");
  expect(few.text).toContain(`Up to ${MASS_MAX_LINES.toLocaleString("en-US")} lines at once`);
  expect(many.text).toContain("5,000 services");
  expect(many.bytes).toBeLessThanOrEqual(few.bytes + SLACK_BYTES);
  expect(many.gzip).toBeLessThanOrEqual(few.gzip + SLACK_BYTES);
});

test("serves the other services of a network for an hour at their version, and for half a minute at any other", async () => {
  await fill(1, MANY);
  const { version } = await versionRow();
  const address = (at: number, network = "Network 3") =>
    `${SITE}/catalog.json?${new URLSearchParams({ version: String(at), network })}`;
  const now = await SELF.fetch(address(version));
  expect(now.headers.get("Cache-Control")).toBe("public, max-age=3600");
  const offers = await now.json<{ network: string; rate: number }[]>();
  expect(offers).toHaveLength(MANY / 10 - 1);
  expect(new Set(offers.map(({ network }) => network))).toEqual(new Set(["Network 3"]));
  const again = await SELF.fetch(address(version), { headers: { "If-None-Match": now.headers.get("ETag") ?? "" } });
  expect(again.status).toBe(304);

  const old = await SELF.fetch(address(version - 1));
  expect(old.headers.get("Cache-Control")).toBe("public, max-age=30");
  expect(await old.json()).toEqual(offers);
  expect((await SELF.fetch(address(version, "No such network"))).status).toBe(404);

  await db.update(services).set({ rate: 77_000_000 }).where(eq(services.name, "Service 13"));
  const next = await versionRow();
  expect(next.version).toBeGreaterThan(version);
  const changed = await (await SELF.fetch(address(next.version))).json<{ name: string; rate: number }[]>();
  expect(changed.find(({ name }) => name === "Service 13")?.rate).toBe(77_000_000);
});

test("lists 5,000 services a hundred at a time, and reads no services for a page once the catalog is known", async () => {
  await fill(1, MANY);
  const first = await page("/services");
  expect(first.text.match(/<li /g)).toHaveLength(100);
  expect(first.text).toContain("5,000 services");
  expect(first.bytes).toBeLessThan(150_000);
  for (const path of [
    "/services?page=50",
    "/services?q=Service+4711",
    "/services?network=Network+3&category=Category+3",
  ]) {
    const { counts } = await page(path);
    expect(counts.queries, path).toBeLessThanOrEqual(QUERIES);
    expect(counts.rowsRead, path).toBeLessThanOrEqual(2 + ROWS_PER_LINE * 100);
  }
});

test("searches and filters the price list on the server", async () => {
  await fill(1, 40);
  const named = (html: string) => [...html.matchAll(/href="\/services\/\d+-(service-\d+)"/g)].map(([, name]) => name);
  expect(named((await page("/services?q=service+17")).text)).toEqual(["service-17"]);
  expect(named((await page("/services?network=Network+3")).text)).toEqual(["service-13", "service-23", "service-33"]);
  expect(named((await page("/services?network=Network+3&category=Category+1")).text)).toEqual(["service-13"]);
  // A category of another network is no filter.
  expect(named((await page("/services?network=Network+3&category=Category+9")).text)).toHaveLength(3);
  const none = await page("/services?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E");
  expect(none.text).toContain("No matching services");
  expect(none.text).not.toContain("<script>alert(1)");
  expect(none.text).toContain('content="noindex"');
  expect((await page("/services?page=99")).text).toContain("40 services");
});

test("gives each service a page with its terms and true data for search engines", async () => {
  await fill(1, 3);
  const [service] = await db.select().from(services).where(eq(services.name, "Service 2"));
  const path = `/services/${service?.id}-service-2`;
  await page(path);
  const { text, counts } = await page(path);
  expect(text).toContain(`<link rel="canonical" href="${SITE}${path}"/>`);
  expect(text).toContain("From 10 to 10,000 per order");
  expect(counts.queries).toBeLessThanOrEqual(QUERIES);
  const json = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(text)?.[1] ?? "");
  expect(json.offers).toMatchObject({ price: 0.902, priceCurrency: "USD" });
  expect(JSON.stringify(json)).not.toMatch(/rating|review/i);

  const old = await SELF.fetch(`${SITE}/services/${service?.id}-another-name`, { redirect: "manual" });
  expect([old.status, old.headers.get("Location")]).toEqual([301, path]);
  await old.body?.cancel();
});

test("shows measured delivery times with what they rest on, in the list, on the service's page and beside similar ones", async () => {
  await fill(1, 21);
  const [first, second] = await db
    .select()
    .from(services)
    .where(inArray(services.name, ["Service 11", "Service 21"]));
  const times = { p50Ms: 7_200_000, p90Ms: 18_000_000, completed: 388, partial: 8, canceled: 4, open: 12 };
  for (const one of [first, second]) await db.insert(serviceTimes).values({ serviceId: one?.id ?? 0, ...times });
  await db.update(services).set({ category: "Category 1" }).where(eq(services.name, "Service 21"));
  const inLists = "Half in 2 h, 9 of 10 in 5 h (412 orders, 2% partial, 1% canceled)";
  const plain = async (path: string) => (await page(path)).text.replaceAll("\u00A0", " ").replaceAll("<!-- -->", "");
  const count = (text: string, what: string) => text.split("</main>")[0]?.split(what).length;
  expect(count(await plain("/services?network=Network+1"), inLists)).toBe(3);
  const own = await plain(`/services/${first?.id}-service-11`);
  expect(own).toContain("Half of orders are done in 2 hours, 9 of 10 in 5 hours. From 412 orders");
  expect(count(own, inLists)).toBe(2);
});

test("names no charge and no time for a subscription, which depend on its posts", async () => {
  await fill(1, 1);
  await db.update(services).set({ type: "Subscriptions", rate: 2_000_000 });
  const [service] = await db.select().from(services);
  const { text } = await page(`/services/${service?.id}-service-1`);
  expect(text).toContain("10 to 10,000 per post");
  expect(text).toContain("You pay for each post");
  expect(text).toContain("Each new post is delivered on its own");
  expect(text).not.toContain("Not measured yet");
  // The charges of 10, 1,000 and 5,000 pieces.
  for (const charge of ["$0.02<", "$10.00<"]) expect(text).not.toContain(charge);
  expect(text).not.toContain("per order");
});

test("answers 404 for a service that is not on sale, without its name and with a way on", async () => {
  await fill(1, 2);
  await db.update(services).set({ enabled: false }).where(eq(services.name, "Service 2"));
  const [service] = await db.select().from(services).where(eq(services.name, "Service 2"));
  for (const path of [`/services/${service?.id}`, "/services/999999999", "/services/no-number"]) {
    const { status, text } = await page(path);
    expect(status, path).toBe(404);
    expect(text, path).toContain("Open the price list");
    expect(text, path).not.toContain("Service 2");
  }
});

/** Adds services from number `from` to number `to`, over ten networks with ten categories each. The first network has at least nine. */
async function fill(from: number, to: number): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
     insert into services (network, category, name, description, rate, min, max, refill, position)
     select 'Network ' || iif(i < 10, 0, i % 10), 'Category ' || (i / 10 % 10), 'Service ' || i, 'Real accounts, gradual delivery over a day.',
       900000 + i * 1000, 10, 10000, i % 2, i from n`,
  ).run();
}

async function versionRow(): Promise<{ version: number }> {
  return (await env.DB.prepare("select version from catalog_version").first<{ version: number }>()) ?? { version: 0 };
}

async function page(path: string) {
  const { database, counts } = countedDatabase(env.DB);
  const context = createExecutionContext();
  const request = new Request(SITE + path) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, { ...env, DB: database }, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, text, bytes: new TextEncoder().encode(text).length, counts };
}

async function weigh(path: string) {
  const { text, bytes } = await page(path);
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return { text, bytes, gzip: (await new Response(zipped).arrayBuffer()).byteLength };
}
