import type { LinkEvent } from "../../scripts/plan-links.ts";
import type { Handlers } from "../actor.ts";
import type { World } from "../open-world.ts";
import { TRIES, waitAfter } from "../persist.ts";
import type { Site } from "../site.ts";
import { sendOrder } from "./order-surfaces.ts";

export type PastedOrder = {
  event: LinkEvent;
  link: string;
  /** Why the last response placed nothing, or "placed". Null: no response came. */
  response: "placed" | "refused" | "asked" | string | null;
  /** What the page said to another form of the link, while the order was open. */
  again: "asked" | string | null;
};
export type LinkWorld = { pasted: PastedOrder[]; handlers: Handlers<LinkEvent> };

const TIMEOUT_MS = 20_000;
const QUANTITY = 100;
/** Micro-units per 1,000 pieces. */
const RATE = 1_000_000;
const AGREED = (RATE * QUANTITY) / 1000;

/** Customers of services that take links to Instagram posts, which each check them differently. */
export async function openLinks(site: Site, world: World): Promise<LinkWorld> {
  const pasted: PastedOrder[] = [];
  const services = new Map<LinkEvent["check"], number>();
  for (const check of ["strict", "warn", "off"] as const) services.set(check, await addService(site, check));
  return {
    pasted,
    handlers: {
      async paste(event) {
        const customer = world.customers[event.customer];
        const service = services.get(event.check);
        if (!customer || customer.hasLeft || !service) return;
        const link = linkOf(event);
        const order: PastedOrder = { event, link, response: null, again: null };
        pasted.push(order);
        order.response = await untilAnswered(() => send(event, link, event.name));
        if (event.agrees && order.response === "asked") {
          order.response = await untilAnswered(() =>
            send(event, link, event.name, { agreedLink: `${service} ${link}` }),
          );
        }
        site.count(`link ${order.response}`);
        if (event.again && order.response === "placed" && (event.pasted === "right" || event.pasted === "variant")) {
          const other = variantOf(event.name);
          order.again = await untilAnswered(() => send({ ...event, by: "form" }, other, `${event.name}-again`));
          site.count("another form of an open order's link");
        }

        async function send(by: LinkEvent, text: string, key: string, also: Record<string, string> = {}) {
          if (customer?.hasLeft) return "left";
          if (by.by === "mass") return sendMass(text, "agreedLink" in also);
          const input = { service: service ?? 0, link: text, quantity: QUANTITY, ...also };
          const signal = AbortSignal.timeout(TIMEOUT_MS);
          if (!customer) return null;
          const { status, body } = await sendOrder(
            site,
            customer,
            { surface: by.by, key: 0, name: key, input, agreed: { rate: RATE, charge: AGREED }, isHeld: true },
            signal,
          );
          if (status >= 500 || status === 401 || status === 302) return null;
          const page = String(body.html ?? body.title ?? body.error ?? "");
          if (/API key/.test(page)) return null;
          return body.order !== undefined || body.id !== undefined ? "placed" : outcomeOf(page);
        }

        async function sendMass(text: string, agrees: boolean) {
          const fields = {
            intent: "place",
            lines: `${service} | ${text} | ${QUANTITY}`,
            which: "all",
            charge: String((RATE * QUANTITY) / 1000),
            ...(agrees && { doubts: "1" }),
          };
          const target = `/dashboard/orders/mass?draft=mass-${uuidOf(event.name, world.startedAt)}`;
          const page = await customer?.person.submit(target, fields, { signal: AbortSignal.timeout(TIMEOUT_MS) });
          if (!page || page.status >= 500 || page.status === 401 || page.location?.startsWith("/auth")) return null;
          // The catalog changed in that moment. The page lists its doubts, too, and the customer sends it again.
          if (page.html.includes("changed after you checked")) return null;
          return page.location ? "placed" : outcomeOf(page.html);
        }

        async function untilAnswered(run: () => Promise<string | null>): Promise<string | null> {
          for (let tries = 1; tries <= TRIES && !customer?.hasLeft; tries++) {
            const response = await run().catch(() => null);
            if (response === "left") return null;
            if (response !== null) return response;
            await waitAfter(site, tries);
          }
          return null;
        }
      },
    },
  };
}

function outcomeOf(text: string): string {
  if (/This looks like|Some lines may be wrong/.test(text)) return "asked";
  if (/for the same link is still open/.test(text)) return "asked about an open order";
  if (/Bad link|Paste a link to|Every line has an error/.test(text)) return "refused";
  return text.slice(0, 300);
}

/** A draft's name is a UUID. The same event has the same one, so that a retry is no second mass order. */
function uuidOf(name: string, startedAt: number): string {
  const number = String(numberOf(name)).padStart(12, "0");
  return `${String(startedAt).slice(-8).padStart(8, "0")}-0000-4000-8000-${number}`;
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}

function linkOf({ name, pasted }: LinkEvent): string {
  switch (pasted) {
    case "right":
      return `https://www.instagram.com/p/${name}/`;
    case "variant":
      return `m.instagram.com/some.one/p/${name}?igsh=MzRlODBi&utm_source=qr`;
    case "wrong network":
      // A video's id alone says which it is: with one id for all, the page would ask about another event's order.
      return `https://www.tiktok.com/@${name}/video/${7_301_234_567_000_000 + numberOf(name)}`;
    case "wrong kind":
      return `https://www.instagram.com/${name}/`;
    case "website":
      return `https://shop-${name.toLowerCase()}.example/about-us`;
    case "short link":
      return `https://bit.ly/${name}`;
    default:
      return pasted satisfies never;
  }
}

/** Another form of a right link. */
function variantOf(name: string): string {
  return `https://instagram.com/reel/${name}/?hl=de`;
}

/** Returns our id, or 0 for a commit whose services have no links to check. */
async function addService(site: Site, check: string): Promise<number> {
  const columns = await site.query<{ name: string }>("select name from pragma_table_info('services')");
  if (!columns.some(({ name }) => name === "link_kind")) return 0;
  await site.query(
    `insert into services (network, category, name, rate, min, max, link_kind, link_check)
     values ('Instagram', 'Links', 'Instagram likes', ${RATE}, 1, 100000, 'post', '${check}') returning id`,
  );
  const [stored] = await site.query<{ id: number }>("select max(id) as id from services");
  return stored?.id ?? 0;
}
