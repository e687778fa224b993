import type { MassEvent } from "../../scripts/plan-orders.ts";
import type { World } from "../open-world.ts";
import type { Page } from "../people.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";
import { mayRefuse, newlyPlaced, type PlacedOrder, serviceOf } from "./order-customer.ts";
import { refusalIn } from "./order-surfaces.ts";

const PATH = "/dashboard/orders/mass";
const TIMEOUT_MS = 20_000;

/** Places the lines with the mass order's form, and reads the orders' ids from the page that it leads to. */
export async function placeMassOrder(
  site: Site,
  world: World,
  event: MassEvent,
  { draft = `mass-${crypto.randomUUID()}`, charge: agreed }: { draft?: string; charge?: number } = {},
): Promise<PlacedOrder[]> {
  const customer = world.customers[event.customer];
  const placed = event.lines.map((line) => newlyPlaced(world, line));
  if (!customer || customer.hasLeft) return [];
  const { person } = customer;
  const hasRuns = event.lines.some(({ runs }) => runs > 1);
  const lines = event.lines.map((line) => {
    const { name, quantity, runs } = line;
    const cells = [serviceOf(world, line), world.linkOf(name), quantity];
    return hasRuns ? [...cells, ...(runs > 1 ? [runs, 10] : ["", ""])].join(",") : cells.join(" | ");
  });
  if (hasRuns) lines.unshift("service,link,quantity,runs,interval");
  const charge = event.lines.reduce((sum, { quantity, runs }) => sum + world.chargeOf(quantity * runs), 0);
  const fields = { intent: "place", lines: lines.join("\r\n"), which: "valid", charge: String(agreed ?? charge) };
  const target = `${PATH}?draft=${draft}`;
  const send = (timeoutMs: number): Promise<Page> =>
    person.submit(target, fields, { signal: AbortSignal.timeout(timeoutMs) });
  if (event.hangsUpAfter !== null) await send(event.hangsUpAfter).catch(() => undefined);
  const pages = await Promise.all(
    Array.from({ length: event.copies }, () =>
      persist(site, async () => {
        const page = await send(TIMEOUT_MS);
        if (customer.hasLeft && !page.location?.startsWith(PATH)) return page;
        // The form leads to the log-in while a session has ended.
        return page.status < 500 && page.status !== 401 && !page.location?.startsWith("/auth") ? page : null;
      }),
    ),
  );
  const answered = pages.filter((page) => page !== null);
  const [first] = answered;
  if (!first || (customer.hasLeft && !first.location?.startsWith(PATH))) return placed;
  const refusal = refusalIn(first.html);
  if (event.lines.every((line) => mayRefuse(customer, line, refusal))) {
    for (const order of placed) order.refusal = refusal;
    return placed;
  }
  const path = first.location?.replace(/\?again$/, "") ?? "";
  const surprise = answered.find(({ location }) => location?.replace(/\?again$/, "") !== path);
  if (!/mass\/\d+$/.test(path) || surprise) {
    const { status, location, html } = surprise ?? first;
    const what = `mass order: ${status} ${location} ${refusal}: ${noticeIn(html)}`;
    for (const order of placed) order.surprises.push(what);
    return placed;
  }
  const ids = await persist(site, () => idsOn((page) => person.get(page), path));
  if (ids && ids.length !== placed.length) {
    for (const order of placed) order.surprises.push(`mass order: ${ids.length} of ${placed.length} lines shown`);
  } else if (ids) {
    for (const [index, order] of placed.entries()) order.id = ids[index] ?? null;
  }
  site.count("mass order placed");
  return placed;
}

/** Returns what a page says above its form. */
function noticeIn(html: string): string | undefined {
  return /role="alert"[^>]*>(.{1,500}?)<\/p>/s.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, "");
}

/** Returns the ids on all pages of a mass order, as its lines are ordered. Returns null for a failed page. */
async function idsOn(get: (path: string) => Promise<Response>, path: string): Promise<number[] | null> {
  const ids = new Set<number>();
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await get(next);
    if (!response.ok) return null;
    const html = await response.text();
    for (const [, id] of html.matchAll(/href="\/dashboard\/orders\/(\d+)"/g)) ids.add(Number(id));
    const older: string | undefined = /href="([^"]*\?after=\d+)"/.exec(html)?.[1];
    next = older;
  }
  return [...ids];
}
