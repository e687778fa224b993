import type { CodeOrderEvent } from "../../scripts/plan-code-orders.ts";
import { MINUTE } from "../../scripts/simulated-durations.ts";
import type { Handlers } from "../actor.ts";
import type { World } from "../open-world.ts";
import type { Page } from "../people.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";
import { type CodeWorld, type OrderForm, PLACED } from "./code-world.ts";
import { type Funds, readFunds } from "./funds-world.ts";
import { newlyPlaced, type PlacedOrder, sendOnce } from "./order-customer.ts";
import type { OrderWorld } from "./order-world.ts";

/** A page's answer to a code sent with an order, and the wallet around it. `entries`: amounts of the ledger since. */
export type CodeAnswer = { said: "not ordered" | "no code"; before: Funds; after: Funds; entries: number[] };
/** A customer on the way to an order that a code may pay for. */
export type CodeVisit = {
  event: CodeOrderEvent;
  /** Micro-units, by the rate that everybody sees. */
  charge: number;
  /** The charge on the top-up page, or null while the customer has not been led there. */
  chargeShown: string | null;
  placed: PlacedOrder;
  answers: CodeAnswer[];
  /** Ids that the form led to, each time that it was sent. */
  ledTo: number[];
  /** Pages that nobody should see. */
  surprises: string[];
  /** The outcome, or null until a certain answer comes. */
  end: "placed" | "not placed" | null;
};
export type CodeOrderWorld = {
  visits: CodeVisit[];
  /** Goes on with the visits without an end. */
  tick(): Promise<void>;
  handlers: Handlers<CodeOrderEvent>;
};

const TOP_UP = "/dashboard/top-up?";
const TIMEOUT_MS = 20_000;
/** An account may try ten codes an hour. */
const RETRY_AFTER = 20 * MINUTE;

/** Customers who order without funds, follow the order to the top-up page, and redeem a code with it. */
export function openCodeOrders(site: Site, world: World, orders: OrderWorld, codes: CodeWorld): CodeOrderWorld {
  const visits: CodeVisit[] = [];
  /** The page that each visit has open: its form is sent again as it is. */
  const forms = new Map<CodeVisit, OrderForm>();
  const busy = new Set<CodeVisit>();
  let retryAt = 0;

  /** Sends the order form and opens the page that it leads to. Returns null if the order was placed, or nothing is certain. */
  async function openTopUp(visit: CodeVisit): Promise<OrderForm | null> {
    const { event, placed } = visit;
    const { person } = world.customers[event.customer] ?? {};
    const response = await persist(site, async () => {
      const sent = await sendOnce(site, world, placed.event, { key: 0, rate: world.rate, timeoutMs: TIMEOUT_MS });
      const isCertain = sent.body.order !== undefined || sent.refusal !== null;
      return sent.status < 500 && isCertain ? sent : null;
    });
    if (response?.body.order !== undefined) {
      placed.id = Number(response.body.order);
      site.count("order by code: there was money");
      return null;
    }
    const path = String(response?.body.location ?? "");
    if (!path.startsWith(TOP_UP)) return null;
    const fields = await readForm(visit, path);
    if (!fields || !person) return null;
    visit.chargeShown = fields.charge ?? null;
    const form = { path, fields: { ...fields, order: "on" } };
    forms.set(visit, form);
    return form;
  }

  /** Returns the fields that place the order of a top-up page, or null without a page. */
  async function readForm({ event }: CodeVisit, path: string): Promise<Record<string, string> | null> {
    const html = await persist(site, async () => {
      const page = await world.customers[event.customer]?.person.get(path);
      return page?.ok ? page.text() : null;
    });
    if (html === null) return null;
    const fieldOf = (name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "";
    const names = ["idempotencyKey", "charge", "again"];
    const isCovered = html.includes("Place order · ");
    return { ...Object.fromEntries(names.map((name) => [name, fieldOf(name)])), ...(isCovered && { isCovered: "" }) };
  }

  /** Sends the form until a page says for certain what became of the code and the order. Null: too many attempts. */
  async function redeem(visit: CodeVisit, form: OrderForm): Promise<Page | null> {
    const { customer, code } = visit.event;
    const send = (timeoutMs: number) =>
      codes.redeemWithOrder(customer, code, form, AbortSignal.timeout(timeoutMs)).catch(() => null);
    return persist(site, async () => {
      const page = await send(TIMEOUT_MS);
      if (!page || page.status >= 500 || page.status === 401 || page.location?.startsWith("/auth")) {
        await noteCut(visit);
        return null;
      }
      return page;
    }).then((page) => (page?.status === 429 ? null : page));
  }

  /** Counts a code that was redeemed although its order isn't there. */
  async function noteCut({ event, placed }: CodeVisit): Promise<void> {
    const credited = await site.query(
      "select 1 from redeem_uses where user_id = ? and created_at >= ?",
      world.customers[event.customer]?.userId,
      world.startedAt + placed.placedAt,
    );
    const stored = await site.query("select 1 from orders where link = ?", world.linkOf(placed.event.name));
    if (credited.length > 0 && stored.length === 0) site.count("order by code: cut off behind the code");
  }

  function noteLed(visit: CodeVisit, page: Page | null): boolean {
    const id = PLACED.exec(page?.location ?? "")?.[1];
    if (id === undefined) return false;
    visit.ledTo.push(Number(id));
    visit.placed.id ??= Number(id);
    return true;
  }

  async function goOn(visit: CodeVisit): Promise<void> {
    const { event } = visit;
    const customer = world.customers[event.customer];
    if (!customer || customer.hasLeft) return;
    const form = forms.get(visit) ?? (await openTopUp(visit));
    if (visit.placed.id !== null) return;
    if (!form) return void site.count("order by code: not led to the page");
    const before = await readFunds(site, world, event.customer);
    site.reach(event.name);
    if (event.hangsUpAfter !== null) {
      const signal = AbortSignal.timeout(event.hangsUpAfter);
      noteLed(visit, await codes.redeemWithOrder(event.customer, event.code, form, signal).catch(() => null));
    }
    const pages = await Promise.all(Array.from({ length: event.copies }, () => redeem(visit, form)));
    for (const page of pages) noteLed(visit, page);
    if (visit.placed.id !== null) {
      // The browser's button "Back", and the form once more.
      const again = await redeem(visit, form);
      if (again && !noteLed(visit, again)) visit.surprises.push(`sent again: ${again.status} ${again.location}`);
      return;
    }
    const page = pages.find((one) => one !== null);
    if (!page) return;
    const after = await readFunds(site, world, event.customer);
    const rows = await site.query<{ amount: number }>(
      "select amount from ledger where user_id = ? and id > ? order by id",
      customer.userId,
      before.entry,
    );
    const said = page.status === 200 ? "not ordered" : "no code";
    visit.answers.push({ said, before, after, entries: rows.map(({ amount }) => amount) });
    await placeIfCovered(visit, form.path);
    if (visit.placed.id === null) visit.end = "not placed";
  }

  /** Presses the page's button that places the order, where it has one: other money may have come in. */
  async function placeIfCovered(visit: CodeVisit, path: string): Promise<void> {
    const { person } = world.customers[visit.event.customer] ?? {};
    const fields = await readForm(visit, path);
    if (!person || fields?.isCovered === undefined) return;
    const page = await persist(site, async () => {
      const options = { signal: AbortSignal.timeout(TIMEOUT_MS) };
      const sent = await person.submit(path, { ...fields, intent: "order" }, options);
      return sent.status < 500 && sent.status !== 401 && !sent.location?.startsWith("/auth") ? sent : null;
    });
    if (noteLed(visit, page)) site.count("order by code: placed by the page's own button");
  }

  async function attempt(visit: CodeVisit): Promise<void> {
    if (busy.has(visit)) return;
    busy.add(visit);
    await goOn(visit);
    site.reach(visit.event.name);
    if (visit.placed.id !== null) visit.end = "placed";
    if (visit.end === "placed") orders.add([visit.placed]);
    if (visit.end !== null) site.count(`order by code ${visit.end}`);
    busy.delete(visit);
  }

  return {
    visits,
    async tick() {
      if (world.now() < retryAt) return;
      retryAt = world.now() + RETRY_AFTER;
      await Promise.all(visits.filter(({ end }) => end === null).map((visit) => attempt(visit)));
    },
    handlers: {
      async order_by_code(event) {
        const [line] = event.lines;
        if (!line) return;
        const charge = world.chargeOf(line.quantity * line.runs);
        const placed = newlyPlaced(world, line);
        const known = { chargeShown: null, answers: [], ledTo: [], surprises: [], end: null };
        const visit: CodeVisit = { event, charge, placed, ...known };
        visits.push(visit);
        await attempt(visit);
      },
    },
  };
}
