import { type NewsEvent, NO_SERVICE } from "../scripts/plan-news.ts";
import type { Handlers } from "./actor.ts";
import { type CatalogWorld, termsBetween } from "./catalog-world.ts";
import type { World } from "./open-world.ts";
import { persist } from "./persist.ts";
import type { Site } from "./site.ts";

/** Micro-units, or null for a service that is off sale. */
export type SeenRate = number | null;
type Span = { from: number; to: number };
/** The notices of a dashboard, by service of the shop. `seen` are the rates that the customer may have been shown last. */
export type ReadNotices = Span & { customer: number; shown: Map<number, SeenRate>; seen: Map<number, SeenRate[]> };
/** An item of the feed. `text` is its title and description. */
export type FeedItem = { version: number; text: string };
/** The feed and then the page, which were read one after the other. */
export type ReadUpdates = Span & { feed: FeedItem[]; page: number[] };
type CheckedLine = { ok: boolean; charge?: number; error?: string };
export type CheckedSheet = Span & {
  event: Extract<NewsEvent, { kind: "check_sheet" }>;
  answer: { ok: boolean; lines: CheckedLine[]; valid: number; invalid: number; charge: number };
};
export type NewsWorld = {
  notices: ReadNotices[];
  updates: ReadUpdates[];
  sheets: CheckedSheet[];
  handlers: Handlers<NewsEvent>;
};

const FEED_TRIES = 20;

/** Customers with favorites, readers of the updates, and sheets that are checked. */
export function openNews(site: Site, world: World, { inForce }: CatalogWorld): NewsWorld {
  const notices: ReadNotices[] = [];
  const updates: ReadUpdates[] = [];
  const sheets: CheckedSheet[] = [];
  const favorites = new Map<number, Map<number, SeenRate[]>>();
  const queues = new Map<number, Promise<void>>();

  /** A customer does one thing at a time. */
  function inTurn(customer: number, work: () => Promise<void>): Promise<void> {
    const next = (queues.get(customer) ?? Promise.resolve()).then(work).catch(() => undefined);
    queues.set(customer, next);
    return next;
  }

  function personOf(customer: number) {
    const known = world.customers[customer];
    return known && !known.hasLeft && world.shop ? known.person : null;
  }

  function seenBy(customer: number): Map<number, SeenRate[]> {
    const known = favorites.get(customer) ?? new Map<number, SeenRate[]>();
    favorites.set(customer, known);
    return known;
  }

  /** Sends a form until its answer is certain. Returns null without one. */
  function submit(customer: number, path: string, fields: Record<string, string>) {
    return persist(site, async () => {
      const page = await personOf(customer)?.submit(path, fields);
      return page && page.status < 500 && page.status !== 401 && !page.location?.startsWith("/auth") ? page : null;
    });
  }

  async function readFeed(): Promise<ReadUpdates | null> {
    const from = Date.now();
    const read = async (path: string) => {
      const response = await site.fetch(path, {}, null);
      return response.ok ? response.text() : null;
    };
    const xml = await read("/updates.xml");
    const html = await read("/updates");
    if (xml === null || html === null) return null;
    const feed = [...xml.matchAll(/<item>(.*?)<\/item>/gs)].map(([, item = ""]) => ({
      version: Number(/#change-(\d+)<\/guid>/.exec(item)?.[1]),
      text: item.replaceAll("&amp;", "&"),
    }));
    const page = [...html.matchAll(/id="change-(\d+)"/g)].map(([, version]) => Number(version));
    return { from, to: Date.now(), feed, page };
  }

  return {
    notices,
    updates,
    sheets,
    handlers: {
      favorite: ({ customer, service }) =>
        inTurn(customer, async () => {
          const id = world.shop?.serviceIds[service];
          const seen = seenBy(customer);
          if (!id || seen.has(service)) return;
          const from = Date.now();
          const page = await submit(customer, `/dashboard/services/${id}`, { wanted: "true" });
          if (page?.status !== 200) return;
          const terms = termsBetween(inForce, service, { from, to: Date.now() });
          // A service off sale is refused.
          const rates = terms.flatMap(({ isOnSale, rate }) => (isOnSale ? [rate] : []));
          seen.set(service, rates);
          site.count("favorite added");
        }),
      read_notices: ({ customer, by }) =>
        inTurn(customer, async () => {
          const person = personOf(customer);
          if (!person) return;
          const from = Date.now();
          const html = await persist(site, async () => {
            const page = await person.get("/dashboard");
            return page.ok ? page.text() : null;
          });
          if (html === null) return;
          const written = /name="seen" value="([^"]*)"/.exec(html)?.[1] ?? "";
          const shown = new Map<number, SeenRate>();
          for (const [, id, rate] of written.matchAll(/(\d+):(\d+|off)/g))
            shown.set(world.shop?.serviceIds.indexOf(Number(id)) ?? -1, rate === "off" ? null : Number(rate));
          const seen = seenBy(customer);
          notices.push({ customer, from, to: Date.now(), shown, seen: new Map(seen) });
          site.count(`notices of ${shown.size} favorites`);
          if (by === "reading" || shown.size === 0) return;
          const page = await submit(customer, "/dashboard/services/seen", { seen: written, search: "" });
          for (const [service, rate] of shown) {
            const before = seen.get(service);
            if (before) seen.set(service, page?.status === 302 ? [rate] : [...before, rate]);
          }
          site.count("notices dismissed");
        }),
      async read_updates() {
        for (let tries = 0; tries < FEED_TRIES && world.shop; tries++) {
          const read = await readFeed().catch(() => null);
          if (!read) continue;
          updates.push(read);
          site.count("updates read");
          return;
        }
      },
      check_sheet: (event) =>
        inTurn(event.customer, async () => {
          const { customer, name, rows } = event;
          const idOf = (service: number) => (service === NO_SERVICE ? 999_999 : world.shop?.serviceIds[service]);
          const lines = rows.map(
            ({ service, quantity }, n) => `${idOf(service)} | https://www.instagram.com/p/${name}${n}/ | ${quantity}`,
          );
          const from = Date.now();
          const page = await submit(customer, "/dashboard/orders/mass/check", { lines: lines.join("\r\n") });
          if (page?.status !== 200) return;
          sheets.push({ event, from, to: Date.now(), answer: JSON.parse(page.html) });
          site.count("sheet checked");
        }),
    },
  };
}
