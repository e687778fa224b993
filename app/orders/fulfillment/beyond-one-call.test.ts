import { env } from "cloudflare:workers";
import { eq, getTableColumns, sql } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { type Order, orders, providers, refills } from "#app/db/schema.server.ts";
import type { Provider } from "#app/orders/providers/provider-calls.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { syncHeld } from "./held-orders.server.ts";
import { syncRefills } from "./refills.server.ts";
import { newStatusCursor, syncStatuses } from "./status-sync.server.ts";

/** A status call names a hundred orders at most. */
const COUNT = 250;
const HOUR_MS = 60 * 60_000;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});

test("asks for each of 250 recent orders once in a round, a hundred in a call", async () => {
  const provider = await withOrders({ createdAt: Date.now() });
  const asked = askedFor("orders");
  // Not due for a pass over the older ones.
  const cursor = { ...newStatusCursor(), passStartedAt: Date.now() };
  expect(await syncStatuses(db, env, provider, cursor)).toEqual({ open: true, soon: true });
  expect(asked().map((ids) => ids.length)).toEqual([100, 100, 50]);
  expect(new Set(asked().flat()).size).toBe(COUNT);
  expect(await inProgress(provider)).toBe(COUNT);
});

test("asks for each of 250 older orders once in a pass", async () => {
  const provider = await withOrders({ createdAt: Date.now() - 2 * HOUR_MS });
  const asked = askedFor("orders");
  const cursor = newStatusCursor();
  expect(await syncStatuses(db, env, provider, cursor)).toEqual({ open: true, soon: false });
  expect(asked().map((ids) => ids.length)).toEqual([100, 100, 50]);
  expect(await inProgress(provider)).toBe(COUNT);
  // The next pass starts ten minutes later.
  await syncStatuses(db, env, provider, cursor);
  expect(asked()).toHaveLength(3);
  cursor.passStartedAt -= 10 * 60_000;
  await syncStatuses(db, env, provider, cursor);
  expect(asked()).toHaveLength(6);
});

test("goes on with a pass over more than a thousand older orders in the next round, where it stopped", async () => {
  const provider = await withOrders({ createdAt: Date.now() - 2 * HOUR_MS }, 1150);
  const asked = askedFor("orders");
  const cursor = newStatusCursor();
  expect(await syncStatuses(db, env, provider, cursor)).toEqual({ open: true, soon: true });
  expect(asked()).toHaveLength(10);
  expect(await syncStatuses(db, env, provider, cursor)).toEqual({ open: true, soon: false });
  expect(asked()).toHaveLength(12);
  expect(new Set(asked().flat()).size).toBe(1150);
});

test("asks for each of 250 held orders, and lets them go on", async () => {
  const provider = await withOrders({ fulfillment: "held" });
  const asked = askedFor("orders");
  await syncHeld(db, env, provider);
  expect(asked().map((ids) => ids.length)).toEqual([100, 100, 50]);
  expect(await inProgress(provider)).toBe(COUNT);
});

test("asks for each of 250 open refills", async () => {
  const provider = await withOrders({ status: "Completed", createdAt: Date.now() });
  const now = Date.now();
  await db.run(sql`insert into refills (order_id, user_id, provider_id, fulfillment, status, provider_refill_id, created_at, updated_at)
    select id, user_id, provider_id, 'accepted', 'Pending', 'r' || id, cast(${now} as integer), cast(${now} as integer)
    from orders where provider_id = ${provider.id}`);
  const asked = askedFor("refills");
  expect(await syncRefills(db, env, provider)).toEqual({ open: true, recent: true });
  expect(asked().map((ids) => ids.length)).toEqual([100, 100, 50]);
  expect(new Set(asked().flat()).size).toBe(COUNT);
  expect(await db.$count(refills, eq(refills.status, "In progress"))).toBe(COUNT);
});

/** Returns a provider with this many accepted orders. */
async function withOrders(change: Partial<Order>, count = COUNT): Promise<Provider> {
  const { providerId, orderIds } = await placeOrders([sandboxLink(null)]);
  const [first = 0] = orderIds;
  const accepted = { fulfillment: "accepted", providerOrderId: "p0", ...change } as const;
  await db.update(orders).set(accepted).where(eq(orders.id, first));
  const columns = Object.values(getTableColumns(orders)).map(({ name }) => name);
  const copied = sql.raw(
    columns.filter((name) => !["id", "idempotency_key", "provider_order_id"].includes(name)).join(),
  );
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count - 1})
    insert into orders (idempotency_key, provider_order_id, ${copied})
    select 'copy ' || i, 'p' || i, ${copied} from n, orders where id = ${first}`);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  return provider;
}

/** Responds to every id of a call with "In progress". The returned function lists the ids by call. */
function askedFor(field: "orders" | "refills"): () => string[][] {
  const calls: string[][] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const ids = (new URLSearchParams(init?.body as URLSearchParams).get(field) ?? "").split(",");
    calls.push(ids);
    const statuses = ids.map((id) => ({ refill: id, status: "In progress" }));
    return Response.json(
      field === "refills"
        ? statuses
        : Object.fromEntries(ids.map((id) => [id, { status: "In progress", remains: "9" }])),
    );
  });
  return () => calls;
}

function inProgress({ id }: Provider): Promise<number> {
  return db.$count(
    orders,
    sql`provider_id = ${id} and status = 'In progress' and remains = 9 and fulfillment = 'accepted'`,
  );
}
