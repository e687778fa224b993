import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders, providers, serviceDays } from "#app/db/schema.server.ts";
import { refreshServiceTimes } from "#app/orders/delivery/service-times.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase, type StatementCounts } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { linkTo } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { newStatusCursor, syncStatuses } from "./fulfillment/status-sync.server.ts";
import { newSending, submitQueued } from "./fulfillment/submission.server.ts";

/** D1 bills rows of tables and of indexes alike. */
const BUDGET_ROWS = 25;
/** For a change of its cost, which is deleted after 400 days. */
const RESERVED_ROWS = 1;
const ORDERS = 20;
/** Statements that cost a few rows per run and service, however many orders there are. */
const PER_RUN =
  /^\s*((insert into|update|delete from) "(rollups|spending_days|sales_days|sales_day_totals|provider_use_days|order_cost_sums|service_times|open_orders)"|update ("service_days"|"providers" set "dialect"))/;
const MAX_ROWS_PER_RUN = 22;

test("writes at most 24 rows in the life of an order, which leaves 1 of the budget for later", async () => {
  const providerId = await sandboxProvider();
  const serviceId = await service({ providerId, providerServiceId: "1", providerRate: 450_000 });
  const { userId } = await customerWith(ORDERS * MICRO);
  // The first order of a service and day costs a row more.
  await db.insert(serviceDays).values({ serviceId, day: Math.floor(Date.now() / DAY_MS), ended: {} });
  const { database, byStatement } = countedDatabase(env.DB);
  const counted = connect(database);
  for (let n = 0; n < ORDERS; n++) {
    const fields = { link: sandboxLink(null, `life-${n}`), quantity: "1000" };
    await placeOrder(counted, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
  }
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  if (!provider) throw new Error("provider not found");
  const link = linkTo(provider, counted);
  await submitQueued(link, newSending());
  for (const [status, remains] of [
    ["In progress", "400"],
    ["Completed", "0"],
  ] as const) {
    const entry = { charge: "0", start_count: "1204", status, remains, currency: "USD" };
    providerReplies(({ orders: ids = "" }) =>
      Response.json(Object.fromEntries(ids.split(",").map((id) => [id, entry]))),
    );
    await syncStatuses(link, newStatusCursor());
    const has = and(eq(orders.providerId, providerId), eq(orders.status, status));
    expect(await db.$count(orders, has)).toBe(ORDERS);
  }
  await rollUpSpending(counted);
  await refreshServiceTimes(counted, Date.now());
  const written = [...byStatement].map(([query, { rowsWritten }]) => ({ query, rowsWritten }));
  const ofRuns = written.filter(({ query }) => PER_RUN.test(query));
  const ofOrders = written.filter(({ query }) => !PER_RUN.test(query));
  const listed = list(byStatement);
  console.log(`rows written per order, with one change of its status:\n${listed}`);
  expect(sum(ofOrders) / ORDERS, listed).toBeLessThanOrEqual(BUDGET_ROWS - RESERVED_ROWS);
  expect(sum(ofRuns), listed).toBeLessThanOrEqual(MAX_ROWS_PER_RUN);
});

function sum(statements: { rowsWritten: number }[]): number {
  return statements.reduce((total, { rowsWritten }) => total + rowsWritten, 0);
}

function list(byStatement: Map<string, StatementCounts>): string {
  return [...byStatement]
    .filter(([, { rowsWritten }]) => rowsWritten > 0)
    .sort(([, one], [, other]) => other.rowsWritten - one.rowsWritten)
    .map(
      ([query, { rowsWritten }]) =>
        `${(rowsWritten / ORDERS).toFixed(1)}  ${query.replaceAll(/\s+/g, " ").slice(0, 90)}`,
    )
    .join("\n");
}
