import { env } from "cloudflare:workers";
import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { SEARCH_WINDOW } from "#app/orders/list/order-list.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { MICRO } from "#app/product.ts";
import { loader as mass } from "#app/routes/dashboard/orders/mass-order-page.tsx";
import { loader as orders } from "#app/routes/dashboard/orders/order-list-page.tsx";
import { loader as order } from "#app/routes/dashboard/orders/order-page.tsx";
import { loader as service } from "#app/routes/dashboard/orders/service-json.ts";
import { loader as transactions } from "#app/routes/dashboard/wallet/transactions-page.tsx";
import { loader as upload } from "#app/routes/upload/page.tsx";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { sessionCookie } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader as api } from "./api-page.tsx";
import { loader as layout } from "./layout.tsx";
import { loader as overview } from "./overview.tsx";

const ORIGIN = "https://growline.example";

type Page = { path: string; loader: (args: LoaderFunctionArgs) => unknown; params?: Record<string, string> };

test("runs as many queries and reads as many rows with many services and orders as with few", async () => {
  await neighbors();
  const small = await customer({ services: 20, orders: 100 });
  const few = await measure(small);
  const large = await customer({ services: atScale(400, 1980), orders: atScale(4000, 100_000) });
  const many = await measure(large);
  expect(many).toEqual(few);
  for (const [path, { queries, rowsRead }] of Object.entries(many)) {
    expect(queries, path).toBeLessThanOrEqual(12);
    expect(rowsRead, path).toBeLessThanOrEqual(700);
  }
  // The customer with few orders sees the same once the large one is there.
  expect(await measure(small)).toEqual(few);
}, 240_000);

test("reads no more than the window per search page, and reaches the oldest order", async () => {
  const { userId, cookie } = await customer({ services: 1, orders: 3 * SEARCH_WINDOW });
  let before: number | null = null;
  let pages = 0;
  let found: number[] = [];
  do {
    const query = new URLSearchParams({ search: "p/1?", ...(before !== null && { before: String(before) }) });
    const { answer, counts } = await ask({ path: `/dashboard/orders?${query}`, loader: orders }, cookie);
    const page = answer as Awaited<ReturnType<typeof orders>>;
    expect(counts.rowsRead).toBeLessThanOrEqual(4 * SEARCH_WINDOW);
    found = found.concat(page.rows.map(({ id }) => id));
    before = page.next;
    pages++;
  } while (before !== null);
  expect(pages).toBe(4);
  const oldest = await env.DB.prepare("select min(id) as id from orders where user_id = ?").bind(userId).first("id");
  expect(found).toEqual([oldest]);
});

function pagesOf({ orderId }: { orderId: number }): Page[] {
  return [
    { path: "/dashboard", loader: layout },
    { path: "/dashboard?", loader: overview },
    { path: `/dashboard?repeat=${orderId}`, loader: overview },
    { path: "/dashboard/orders", loader: orders },
    { path: "/dashboard/orders?status=open", loader: orders },
    { path: "/dashboard/orders?status=Completed", loader: orders },
    { path: "/dashboard/orders?status=Canceled", loader: orders },
    { path: `/dashboard/orders?before=${orderId}`, loader: orders },
    { path: `/dashboard/orders?search=${orderId}`, loader: orders },
    { path: `/dashboard/orders/${orderId}`, loader: order, params: { id: String(orderId) } },
    { path: "/dashboard/orders/mass?draft=mass-00000000-0000-0000-0000-000000000000", loader: mass },
    { path: "/dashboard/transactions", loader: transactions },
    { path: "/dashboard/transactions?kind=refunds", loader: transactions },
    { path: "/dashboard/transactions?kind=topups", loader: transactions },
    { path: "/dashboard/api", loader: api },
    { path: "/dashboard/services/1", loader: service, params: { id: "1" } },
    { path: "/upload", loader: upload },
  ];
}

async function measure(who: { orderId: number; cookie: string }) {
  const measured: Record<string, { queries: number; rowsRead: number }> = {};
  for (const page of pagesOf(who)) {
    const { counts } = await ask(page, who.cookie);
    // Numbers of orders differ between the two customers; what is asked does not.
    measured[page.path.replace(String(who.orderId), "N")] = counts;
  }
  return measured;
}

async function ask({ path, loader, params = {} }: Page, cookie: string) {
  const { database, counts } = countedDatabase(env.DB);
  const context = loadContext({ db: connect(database) });
  const request = new Request(new URL(path, ORIGIN), { headers: { Cookie: cookie } });
  return { answer: await loader({ request, params, context }), counts };
}

/** A range of an index ends at somebody else's row, which is read too: there is one on either side of every customer. */
async function neighbors(): Promise<void> {
  await env.DB.prepare(
    "insert into services (network, category, name, rate, min, max, position) values ('', '', '', 1, 1, 1, 9)",
  ).run();
  for (const id of ["!", "~"]) {
    const statements = [
      "insert into users (id, email, created_at) values (?1, ?1, 1)",
      "insert into wallets (user_id) values (?1)",
      "insert into api_keys (id, user_id, name, digest, prefix, created_at) values (?1, ?1, '', ?1, '', 1)",
      "insert into webhook_endpoints (id, user_id, url, secret, created_at) values (?1, ?1, '', '', 1)",
      "insert into spending_days (user_id, day, balance) values (?1, 1, 1)",
      "insert into favorites (user_id, service_id, created_at) values (?1, 1, 1)",
      "insert into ledger (user_id, kind, amount, balance_after, created_at) values (?1, 'topup', 1, 1, 1)",
      "insert into uploads (id, user_id, key, name, content_type, size, created_at) values (?1, ?1, ?1, '', '', 1, 1)",
      "insert into orders (user_id, service_id, type, link, quantity, charge, remains, idempotency_key, request_digest, source, fulfillment, created_at, updated_at) values (?1, 1, 'Default', '', 1, 1, 1, '', '', 'api', 'manual', 1, 1)",
    ];
    await env.DB.batch(statements.map((statement) => env.DB.prepare(statement).bind(id)));
  }
}

/** Creates a customer with 60 newest orders in every status, older ones Completed, and refunds and a top-up. */
async function customer(size: { services: number; orders: number }) {
  const { userId } = await customerWith(1_000_000 * MICRO);
  const many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)";
  await env.DB.batch([
    env.DB.prepare(
      `${many} insert into services (network, category, name, rate, min, max) select 'Network ' || (i % 9), 'Category ' || (i % 40), 'Service ' || i, 900000, 10, 100000 from n`,
    ).bind(size.services),
    env.DB.prepare(
      `${many} insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key, request_digest, source, fulfillment, created_at, updated_at)
       select ?2, 1 + i % 20, 'Default', 'https://instagram.com/p/' || i || '?', 100, 90000, iif(?1 - i < 60 and i % 7 = ?1 % 7, 'Canceled', iif(?1 - i < 60 and (?1 - i) % 3 = 0, 'In progress', 'Completed')), 0, 'k' || i, '', 'api', 'manual', 1790000000000 + i, 1 from n`,
    ).bind(size.orders, userId),
    env.DB.prepare(
      "insert into ledger (user_id, order_id, kind, amount, balance_after, created_at) select user_id, id, 'charge', -charge, 1000000, ?2 from orders where user_id = ?1",
    ).bind(userId, Date.now()),
    env.DB.prepare(
      "insert into ledger (user_id, order_id, kind, amount, balance_after, created_at) select user_id, id, 'refund', charge, 1000000, ?2 from orders where user_id = ?1 and status = 'Canceled'",
    ).bind(userId, Date.now()),
  ]);
  await rollUpSpending(db);
  const last = await env.DB.prepare("select max(id) as id from orders where user_id = ?")
    .bind(userId)
    .first<number>("id");
  return { userId, orderId: last ?? 0, cookie: await sessionCookie(userId) };
}
