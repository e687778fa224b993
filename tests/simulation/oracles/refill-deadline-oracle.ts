import { DAY, MINUTE, SECOND } from "../scripts/simulated-durations.ts";
import { callPanel, type PlacedOrder } from "../world/customers/order-customer.ts";
import { type Customer, REFILL_DAYS, type World } from "../world/open-world.ts";
import type { Site } from "../world/site.ts";
import { type Between, endOf } from "./order-ends.ts";
import type { OrderRow, Violation } from "./violation.ts";

type Delivered = { row: OrderRow; customer: Customer; end: Between };

const TRIED_AT_MOST = 12;
const MARGIN = MINUTE;
const TERM = REFILL_DAYS * DAY;

/**
 * Lives on to the refill deadlines of delivered orders, and asks for refills shortly before and after them. The world's last
 * act, because its clock moves by a day.
 */
export async function judgeRefillDeadlines(
  site: Site,
  world: World,
  placed: PlacedOrder[],
  rows: OrderRow[],
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const columns = await site.query<{ name: string }>("select name from pragma_table_info('orders')");
  if (!columns.some(({ name }) => name === "refill_until")) return [];
  const refilled = new Set(
    (await site.query<{ order_id: number }>("select order_id from refills")).map((one) => one.order_id),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const delivered = placed.flatMap((order): Delivered[] => {
    const row = byId.get(order.id ?? -1);
    const customer = world.customers[order.event.customer];
    const isPromised = order.event.service === undefined && order.event.plan.add !== "reused_id";
    if (!row || !customer || customer.hasLeft || !isPromised || refilled.has(row.id)) return [];
    const end = row.status === "Completed" || row.status === "Partial" ? endOf(world, row, order) : null;
    return end && row.provider_order_id !== null ? [{ row, customer, end }] : [];
  });
  delivered.sort((a, b) => a.end.from - b.end.from);
  const half = Math.ceil(delivered.length / 2);
  const late = delivered.slice(0, half).slice(-TRIED_AT_MOST);
  const [earliest] = delivered.slice(half);
  const inTime = delivered.slice(half, half + TRIED_AT_MOST);
  const broken = (rule: string, { row, end }: Delivered, product: unknown) =>
    violations.push({ rule, subject: `order ${row.id}`, world: { end, deadline: end.from + TERM }, product });

  for (const order of delivered.slice(-TRIED_AT_MOST)) {
    const { customer, row, end } = order;
    const status = (await callPanel(site, customer, { action: "status", order: String(row.id) })) as object | null;
    const until = Date.parse(String((status as { refill_until?: string } | null)?.refill_until));
    const isTrue = until >= end.from + TERM && until <= end.to + TERM;
    if (!isTrue) broken("an order shows until when it can be refilled", order, status);
  }
  if (earliest) await site.advance(Math.max(0, earliest.end.from + TERM - MARGIN - site.now()));
  // It takes some real time to ask for all of them.
  const stillInTime = ({ end }: Delivered) => site.now() < end.from + TERM;
  for (const order of inTime.filter(stillInTime)) {
    const body = await ask(order);
    if (!stillInTime(order)) continue;
    if (!/^\d+$/.test(String(body?.refill))) broken("a refill before the deadline is accepted", order, body);
    else site.count("refill before its deadline accepted");
  }
  const last = late.reduce((latest, { end }) => Math.max(latest, end.to), 0);
  await site.advance(Math.max(0, last + TERM + SECOND - site.now()));
  for (const order of late) {
    const body = await ask(order);
    const kept = await site.query("select id from refills where order_id = ?", order.row.id);
    if (!/expired/.test(String(body?.error)) || kept.length > 0) {
      broken("a refill after the deadline is refused, and leaves nothing", order, { body, kept });
    } else site.count("refill after its deadline refused");
  }
  return violations;

  async function ask({ row, customer }: Delivered): Promise<{ refill?: unknown; error?: unknown } | null> {
    return (await callPanel(site, customer, { action: "refill", order: String(row.id) })) as {
      refill?: unknown;
      error?: unknown;
    } | null;
  }
}
