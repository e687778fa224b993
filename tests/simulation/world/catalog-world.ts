import type { CatalogEvent } from "../scripts/plan-catalog.ts";
import type { MassEvent } from "../scripts/plan-orders.ts";
import type { Handlers } from "./actor.ts";
import { afterNight, imported, priceByRule, type Terms } from "./catalog-model.ts";
import { placeMassOrder } from "./customers/mass-order.ts";
import { chargeBy, type PlacedOrder, placeOrder } from "./customers/order-customer.ts";
import { isHeldToPrice } from "./customers/order-surfaces.ts";
import type { OrderWorld } from "./customers/order-world.ts";
import type { World } from "./open-world.ts";
import type { OfferedService } from "./outside/provider-catalog.ts";
import { persist } from "./persist.ts";
import { everyRow, type Shop } from "./shop.ts";
import type { Site } from "./site.ts";

/** Terms and the real times from which and up to which an order may be placed by them. */
export type TermsInForce = { service: number; terms: Terms; from: number; to: number };
/** An order that was tried between two real times. */
export type ShopOrder = {
  placed: PlacedOrder;
  service: number;
  from: number;
  to: number;
  /** The charge that was shown or allowed, in micro-units. Null: the customer didn't say. */
  agreed: number | null;
};
/** `agreed` and `rateShown`: the charge that the page before had shown, and the rate of the page that refused. Micro-units. */
export type PriceRefusal = Omit<ShopOrder, "agreed"> & {
  agreed: number;
  rateShown: number | null;
  /** Orders that were there after it. */
  leftovers: number;
};
/** A list of services that a customer read between two real times. */
export type ReadList = { rates: Map<number, number>; from: number; to: number };
export type CatalogWorld = {
  inForce: TermsInForce[];
  shopOrders: ShopOrder[];
  /** Orders that a page refused because the price that it had shown before was no longer in force. */
  priceRefusals: PriceRefusal[];
  lists: ReadList[];
  /** Changes after which the product's catalog was another than the world's. */
  surprises: { change: string; expected: Terms[]; found: Terms[] }[];
  /** Notes what an import did that nobody here asked for. */
  tick(): Promise<void>;
  handlers: Handlers<CatalogEvent>;
};

const MICRO = 1_000_000;

/** A provider who changes its catalog, admins who import it and change services, and customers who order meanwhile. */
export function openCatalog(site: Site, world: World, orders: OrderWorld): CatalogWorld {
  const { shop } = world;
  const inForce: TermsInForce[] = [];
  const shopOrders: ShopOrder[] = [];
  const priceRefusals: PriceRefusal[] = [];
  const lists: ReadList[] = [];
  const surprises: CatalogWorld["surprises"] = [];
  let current: Terms[] =
    shop?.catalog.services.map(({ rate, min, max }) => ({
      rate: priceByRule(rate),
      providerRate: rate,
      min,
      max,
      isOnSale: true,
      ruleRate: priceByRule(rate),
      decidedRate: priceByRule(rate),
      decidedCost: rate,
      waits: null,
      isPaused: false,
    })) ?? [];
  for (const [service, terms] of current.entries())
    inForce.push({ service, terms, from: 0, to: Number.POSITIVE_INFINITY });
  let noted = shop?.catalog.sent.length ?? 0;
  let queue: Promise<void> = Promise.resolve();

  /** Admins change one thing at a time. */
  function inTurn(shop: Shop | null, work: (shop: Shop) => Promise<void>): Promise<void> {
    if (!shop) return Promise.resolve();
    queue = queue.then(() => work(shop)).catch(() => undefined);
    return queue;
  }

  async function termsNow({ serviceIds }: Shop): Promise<Terms[]> {
    type Row = Omit<Terms, "isOnSale" | "isPaused"> & { id: number; isOnSale: number; isPaused: number };
    const rows = await site.query<Row>(
      `select s.id, rate, provider_rate as providerRate, s.min, s.max, enabled as isOnSale, rule_rate as ruleRate,
          decided_rate as decidedRate, decided_cost as decidedCost, coalesce(q.paused, 0) as isPaused,
          q.reason || iif(q.offered is null, '', concat_ws(' ', '', q.offered ->> 'rate', q.offered ->> 'min', q.offered ->> 'max'))
            as waits
        from services s left join quarantine q on q.service_id = s.id and q.decided_at is null
        where s.id in (${serviceIds.map(() => "?")}) order by s.id`,
      ...serviceIds,
    );
    return rows.map(({ id: _, isOnSale, isPaused, ...terms }) => ({
      ...terms,
      isOnSale: isOnSale === 1,
      isPaused: isPaused === 1,
    }));
  }

  /** Puts terms in force that may have been since `from`. Only a confirmed change must have happened. */
  async function adopt(
    shop: Shop,
    { change, expected, isConfirmed, from }: { change: string; expected: Terms[]; isConfirmed: boolean; from: number },
  ): Promise<void> {
    const found = await termsNow(shop);
    const isExpected = same(found, expected) || (!isConfirmed && same(found, current));
    if (!isExpected) surprises.push({ change, expected, found });
    const to = Date.now();
    for (const [service, terms] of found.entries()) {
      if (same([terms], [current[service] as Terms])) continue;
      const last = inForce.findLast((one) => one.service === service);
      if (last) last.to = to;
      inForce.push({ service, terms, from, to: Number.POSITIVE_INFINITY });
      site.count(`catalog changed by ${change}`);
    }
    current = found;
  }

  function termsAfter(by: typeof imported, services: OfferedService[], { catalog }: Shop): Terms[] {
    // An empty list is a provider's mistake.
    if (services.every(({ isReadable }) => !isReadable)) return current;
    return current.map((terms, n) =>
      by(
        terms,
        services.find(({ id }) => id === catalog.services[n]?.id),
      ),
    );
  }

  async function importCatalog(shop: Shop, isOutdated: boolean): Promise<void> {
    const page = `/admin/providers/${shop.providerId}`;
    const submit = (fields: Record<string, string>) =>
      world.admin.submit(page, fields, { mayFail: true }).catch(() => null);
    const preview = await submit({ intent: "preview" });
    const digest = /name="digest" value="([0-9a-f]+)"/.exec(preview?.html ?? "")?.[1];
    noted = shop.catalog.sent.length;
    if (!preview || !digest) return;
    const changed = shop.catalog.services.find(({ isOffered, isReadable }) => isOffered && isReadable);
    const mustRefuse = isOutdated && changed !== undefined && !shop.catalog.isEmpty;
    if (mustRefuse) changed.rate += 1_000;
    const from = Date.now();
    const result = await submit({ intent: "import", digest, picked: everyRow(preview.html) });
    const isConfirmed = result !== null && result.status < 400;
    if (isConfirmed && mustRefuse) surprises.push({ change: "an outdated preview", expected: [], found: [] });
    const sent = shop.catalog.sent.slice(noted).at(-1);
    noted = shop.catalog.sent.length;
    const isRefused = result?.status === 409;
    if (isRefused) site.count("outdated preview refused");
    const expected = sent && !isRefused ? termsAfter(imported, sent.services, shop) : current;
    await adopt(shop, { change: "import", expected, isConfirmed: isConfirmed || isRefused, from });
  }

  return {
    inForce,
    shopOrders,
    priceRefusals,
    lists,
    surprises,
    async tick() {
      await inTurn(shop, async (known) => {
        const sent = known.catalog.sent.slice(noted).at(-1);
        noted = known.catalog.sent.length;
        if (!sent) return;
        // An import in the night, which may have failed.
        const expected = termsAfter(afterNight, sent.services, known);
        await adopt(known, { change: "nightly import", expected, isConfirmed: false, from: sent.at });
      });
    },
    handlers: {
      async offer({ service, by, rate, min }) {
        const offered = shop?.catalog.services[service];
        if (!shop || !offered) return;
        shop.catalog.isEmpty = by === "empty";
        if (by === "price") offered.rate = rate;
        if (by === "limits") offered.min = min;
        if (by === "gone") offered.isOffered = false;
        if (by === "back") offered.isOffered = true;
        offered.isReadable = by !== "unreadable";
      },
      import: ({ by }) => inTurn(shop, (known) => importCatalog(known, by === "outdated preview")),
      set_service: ({ service, by, rate, min }) =>
        inTurn(shop, async (known) => {
          const [row] = await site.query<Record<string, string | number | null>>(
            "select * from services where id = ?",
            known.serviceIds[service],
          );
          const before = current[service];
          if (!row || !before) return;
          const terms: Terms = { ...before };
          if (by === "price") terms.rate = rate;
          if (by === "limits") terms.min = min;
          if (by === "off sale" || by === "on sale") terms.isOnSale = by === "on sale";
          const fields = { ...formOf(row, terms), version: String(row.version) };
          const from = Date.now();
          const isConfirmed = await persist(site, async () => {
            const { status } = await world.admin.submit(`/admin/services/${row.id}`, fields);
            // A price below cost is refused, and a form that was stored although its response was lost is outdated.
            if (status === 400 || status === 409) return false;
            return status < 400 ? true : null;
          });
          const expected = current.map((other, n) => (n === service ? terms : other));
          await adopt(known, { change: `staff: ${by}`, expected, isConfirmed: isConfirmed === true, from });
        }),
      async shop({ by, seen, lines: [line] }) {
        if (!shop || line?.service === undefined) return;
        const { at, name, customer, service } = line;
        const mass: MassEvent = { kind: "mass", at, name, customer, lines: [line], hangsUpAfter: null, copies: 1 };
        let from = Date.now();
        let agreed = 0;
        const order = async (rate: number) => {
          from = Date.now();
          agreed = chargeBy(rate, line);
          if (by !== "mass") return placeOrder(site, world, line, rate);
          return (await placeMassOrder(site, world, mass, { charge: agreed }))[0];
        };
        const known = current[service]?.rate ?? 0;
        let placed = await order(seen ? (rateBefore(inForce, service) ?? known) : known);
        if (placed?.refusal === "price" && by === "form" && placed.id === null) {
          const { rateShown = null } = placed;
          const leftovers = (await site.query("select 1 from orders where link = ?", world.linkOf(name))).length;
          priceRefusals.push({ placed, service, from, to: Date.now(), agreed, rateShown, leftovers });
          site.count("page refused for its price, and sent again with the new one");
          if (rateShown !== null) placed = await order(rateShown);
        }
        if (!placed) return;
        const to = Date.now();
        const isHeld = isHeldToPrice({ ...line, surface: by });
        shopOrders.push({ placed, service, from, to, agreed: isHeld ? agreed : null });
        placed.rates = () => ratesBetween(inForce, service, { from, to });
        if (placed.id !== null || placed.surprises.length > 0) orders.add([placed]);
        site.count(`shop order by ${by} ${placed.id === null ? `refused for its ${placed.refusal}` : "placed"}`);
      },
      async read_services({ customer: index }) {
        const customer = world.customers[index];
        if (!shop || !customer || customer.hasLeft) return;
        const from = Date.now();
        const headers = { Authorization: `Bearer ${customer.keys[0]?.value}` };
        const response = await site.fetch("/api/services", { headers }, customer.person.canary).catch(() => null);
        if (!response?.ok) return;
        const services = (await response.json()) as { service: number; rate: string }[];
        const rates = new Map(
          services.map(({ service, rate }) => [service, Math.round(Number(rate) * MICRO)] as const),
        );
        lists.push({ rates, from, to: Date.now() });
      },
    },
  };
}

/** Returns the terms that were in force at some moment between two real times. */
export function termsBetween(
  inForce: TermsInForce[],
  service: number,
  { from, to }: { from: number; to: number },
): Terms[] {
  return inForce.filter((one) => one.service === service && one.from <= to && one.to >= from).map(({ terms }) => terms);
}

/** Returns the rate of a service before it last changed, or null. */
function rateBefore(inForce: TermsInForce[], service: number): number | null {
  const rates = inForce.filter((one) => one.service === service).map(({ terms }) => terms.rate);
  return rates.findLast((rate) => rate !== rates.at(-1)) ?? null;
}

function ratesBetween(inForce: TermsInForce[], service: number, span: { from: number; to: number }): number[] {
  return termsBetween(inForce, service, span).flatMap(({ rate, isOnSale }) => (isOnSale ? [rate] : []));
}

function same(some: Terms[], others: Terms[]): boolean {
  return some.every((terms, n) => {
    const other = others[n];
    return other !== undefined && Object.entries(terms).every(([name, value]) => other[name as keyof Terms] === value);
  });
}

/** Returns the fields of a service's form, as an admin fills it in. */
function formOf(
  row: Record<string, string | number | null>,
  { rate, min, max, isOnSale }: Terms,
): Record<string, string> {
  const text = (name: string) => String(row[name] ?? "");
  const flags = ["dripfeed", "refill", "cancel"].filter((name) => row[name] === 1);
  return {
    network: text("network"),
    category: text("category"),
    name: text("name"),
    description: text("description"),
    type: text("type"),
    rate: (rate / MICRO).toFixed(6),
    min: String(min),
    max: String(max),
    providerId: text("provider_id"),
    providerServiceId: text("provider_service_id"),
    position: text("position"),
    ...Object.fromEntries(flags.map((name) => [name, "on"])),
    ...(isOnSale && { enabled: "on" }),
  };
}
