import type { ListFilter, ProgramEvent } from "../../scripts/plan-programs.ts";
import type { Handlers } from "../actor.ts";
import type { Customer, World } from "../open-world.ts";
import { persist } from "../persist.ts";
import type { Site } from "../site.ts";
import { newlyPlaced, notesOf, placeOrder, sendOnce, sharedReference } from "./order-customer.ts";
import type { OrderWorld } from "./order-world.ts";

/** An order as the list of API v1 shows it. */
export type ListedOrder = {
  id: number;
  service: number;
  link: string;
  quantity: number;
  runs: number;
  charge: string;
  refunded: string;
  status: string;
  remains: number;
  reference: string | null;
  metadata: unknown;
  created_at: string;
};
export type OrderFilter = { status?: string; reference?: string };
/** A list that a program has read to its end. `upTo`: the newest order of anybody when it began. */
export type ReadOrders = {
  customer: Customer;
  by: ListFilter;
  filter: OrderFilter;
  limit: number;
  upTo: number;
  /** Ids that responses had confirmed before it began. */
  confirmed: number[];
  listed: ListedOrder[];
};
export type ProgramWorld = {
  readLists: ReadOrders[];
  handlers: Handlers<Exclude<ProgramEvent, { kind: "follow_catalog" }>>;
};

export const STATUSES = ["Pending", "Processing", "In progress", "Completed", "Partial", "Canceled"];
const PAGES_AT_MOST = 5000;

/** Programs that find the orders they made by reference, and read their lists while others order. */
export function openPrograms(site: Site, world: World, orders: OrderWorld): ProgramWorld {
  const readLists: ReadOrders[] = [];
  return {
    readLists,
    handlers: {
      async lose_response({ by, lines: [line] }) {
        const customer = world.customers[line?.customer ?? -1];
        if (!line || !customer || customer.hasLeft) return;
        const placed = newlyPlaced(world, line);
        const { reference = "" } = notesOf(line);
        const timeoutMs = line.hangsUpAfter ?? 0;
        // Whatever it says is lost.
        await sendOnce(site, world, line, { key: 0, rate: world.rate, timeoutMs }).catch(() => undefined);
        const found = await listOrders(site, customer, { reference }, 10);
        if (found === null) return orders.add([placed]);
        if (found.length > 1) placed.surprises.push(`${found.length} orders of one reference`);
        placed.id = found[0]?.id ?? null;
        site.count(`lost order ${placed.id === null ? "not there" : "found"} by its reference`);
        if (by === "lookup and repeat") {
          const again = await placeOrder(site, world, { ...line, hangsUpAfter: null });
          placed.surprises.push(...again.surprises);
          if (placed.id !== null && again.id !== null && again.id !== placed.id) {
            placed.surprises.push(`id ${again.id} for the key of ${placed.id}, which its reference found`);
          }
          placed.id = again.id ?? placed.id;
        }
        orders.add([placed]);
      },
      async list_orders({ customer: index, by, limit, number }) {
        const customer = world.customers[index];
        if (!customer || customer.hasLeft) return;
        const confirmed = orders.placed.flatMap(({ id, event }) =>
          event.customer === index && id !== null ? [id] : [],
        );
        const [newest] = await site.query<{ id: number }>("select coalesce(max(id), 0) as id from orders");
        const filter: OrderFilter = {};
        if (by === "status") filter.status = STATUSES[number % STATUSES.length] ?? "Completed";
        if (by === "reference") filter.reference = sharedReference(index, number);
        const listed = await listOrders(site, customer, filter, limit);
        if (listed === null) return;
        readLists.push({ customer, by, filter, limit, upTo: newest?.id ?? 0, confirmed, listed });
        site.count(`orders listed by ${by}`);
      },
    },
  };
}

/**
 * Reads a customer's list of orders to its end. Returns null if that never worked, or if the customer has left. Throws if a
 * page has more orders than asked for, or the list no end.
 */
export async function listOrders(
  site: Site,
  customer: Customer,
  filter: OrderFilter,
  limit: number,
): Promise<ListedOrder[] | null> {
  const listed: ListedOrder[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_AT_MOST; pages++) {
    const query = new URLSearchParams({ ...filter, limit: String(limit), ...(cursor !== null && { cursor }) });
    const page: { orders: ListedOrder[]; next_cursor: string | null } | "gone" | null = await persist(
      site,
      async () => {
        if (customer.hasLeft) return "gone";
        const headers = { Authorization: `Bearer ${customer.keys[0]?.value}` };
        const response = await site.fetch(`/api/v1/orders?${query}`, { headers }, customer.person.canary);
        return response.ok ? await response.json() : null;
      },
    );
    if (page === null || page === "gone") return null;
    if (page.orders.length > limit) throw new Error(`${page.orders.length} orders on a page of ${limit}`);
    listed.push(...page.orders);
    cursor = page.next_cursor;
    if (cursor === null) return listed;
  }
  throw new Error(`a list of orders has more than ${PAGES_AT_MOST} pages`);
}
