import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { countedDatabase, type StatementCounts } from "#tests/workerd/counted-database.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { runScheduledJobs } from "./scheduled-jobs.ts";

const PROVIDERS = 10;
const ORDERS = 20_000;
const CONVERSATIONS = 2000;
const MAX_ROWS = 200;

test("reads at most 200 rows in a minute without work, however much there was before", async () => {
  await fillHistory();
  // The first run sums up the spending of these orders.
  await rollUpSpending(db);
  const [main, support] = [countedDatabase(env.DB), countedDatabase(env.DB_SUPPORT)];
  await runScheduledJobs("* * * * *", { ...env, DB: main.database, DB_SUPPORT: support.database });
  const statements = [...main.byStatement, ...support.byStatement];
  expect(main.counts.rowsRead + support.counts.rowsRead, listed(statements)).toBeLessThanOrEqual(MAX_ROWS);
  expect(sum(statements, "rowsWritten"), listed(statements)).toBe(0);
}, 120_000);

/** Finished orders with refills and cancellations, their ledger, webhook deliveries, emails, and conversations. */
async function fillHistory(): Promise<void> {
  const many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)";
  const providerIds: number[] = [];
  for (let n = 0; n < PROVIDERS; n++) providerIds.push(await sandboxProvider());
  const serviceId = await service({ providerId: providerIds[0] ?? 0, providerServiceId: "1" });
  const run = (query: string, ...values: unknown[]) => env.DB.prepare(query).bind(...values);
  await env.DB.batch([
    run(
      `${many} insert into users (id, email, created_at) select 'user' || i, 'user' || i || '@test.example', 1 from n`,
      1000,
    ),
    run(
      `${many} insert into wallets (user_id, balance, low_balance_threshold, low_balance_notified)
       select 'user' || i, 1000000, iif(i % 3 = 0, null, 500000 + i % 2 * 1000000), i % 2 from n`,
      1000,
    ),
    run(
      `${many} insert into orders (user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
         request_digest, source, fulfillment, provider_id, provider_service_id, provider_order_id, created_at, updated_at)
       select 'user' || (1 + i % 1000), ?2, 'Default', 'https://instagram.com/p/' || i, 1000, 900000, 'Completed', 0,
         'k' || i, '', 'api', 'accepted', json_extract(?3, '$[' || (i % 10) || ']'), '1', 'idle-' || i, i, i from n`,
      ORDERS,
      serviceId,
      JSON.stringify(providerIds),
    ),
    run(
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select user_id, id, 'charge', -charge, 1000000, created_at from orders where provider_order_id like 'idle-%'`,
    ),
    run(
      `insert into refills (order_id, user_id, status, provider_refill_id, fulfillment, created_at, updated_at)
       select id, user_id, 'Completed', 'r' || id, 'accepted', 1, 1 from orders where provider_order_id like 'idle-%5'`,
    ),
    run(
      `insert into cancellations (order_id, user_id, status, fulfillment, created_at, updated_at)
       select id, user_id, 'Rejected', 'rejected', 1, 1 from orders where provider_order_id like 'idle-%7'`,
    ),
    run(`insert into webhook_endpoints (id, user_id, url, secret, created_at) values ('idle', 'user1', '', '', 1)`),
    run(
      `${many} insert into webhook_deliveries (message_id, endpoint_id, event, body, delivered_at, created_at)
       select 'idle' || i, 'idle', 'order.completed', '', 1, 1 from n`,
      5000,
    ),
    run(
      `${many} insert into emails (id, user_id, recipient, kind, status, expires_at, created_at, finished_at)
       select 'idle' || i, 'user' || (1 + i % 1000), 'user@test.example', 'password_reset',
         iif(i % 10 = 0, 'failed', 'sent'), 1, i, 1 from n`,
      5000,
    ),
  ]);
  await fillInbox(env.DB_SUPPORT, { conversations: CONVERSATIONS, messagesEach: 1, agents: ["agent"] });
}

function sum(statements: [string, StatementCounts][], of: keyof StatementCounts): number {
  return statements.reduce((total, [, counts]) => total + counts[of], 0);
}

/** Lists the statements that read or wrote most. */
function listed(statements: [string, StatementCounts][]): string {
  return statements
    .filter(([, { rowsRead, rowsWritten }]) => rowsRead + rowsWritten > 0)
    .sort(([, one], [, other]) => other.rowsRead - one.rowsRead)
    .map(([query, { rowsRead, rowsWritten }]) => `${rowsRead} read, ${rowsWritten} written: ${query.slice(0, 300)}`)
    .join("\n");
}
