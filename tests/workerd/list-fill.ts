import { env } from "cloudflare:workers";
import { DAY_MS } from "#app/time.ts";
import { customerWith, service } from "./customer.ts";
import { fillResources } from "./resource-samples.ts";
import { sandboxProvider } from "./sandbox-service.ts";

const LATER = Date.now() + 365 * DAY_MS;
/** The day of the sales, in days since 1970. */
export const YESTERDAY = Math.floor(Date.now() / DAY_MS) - 1;

/** Stores so many rows for each list of the console, and returns the customer who has the orders and the ledger's. */
export async function fillLists(rowCount: number): Promise<string> {
  const [{ userId }, providerId] = [await customerWith(1_000_000), await sandboxProvider()];
  const serviceId = await service({ providerId, providerServiceId: "0" });
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rowCount})`;
  const into = (target: string, values: string) =>
    env.DB.prepare(`${numbers} insert into ${target} select ${values} from n`);
  const placed = `link, quantity, charge, status, remains, idempotency_key, request_digest, source, fulfillment, created_at, updated_at`;
  await env.DB.batch([
    into("users (id, email, created_at)", "'whole' || i, 'whole' || i || '@test.example', 1"),
    into("profiles (user_id, email, full_name)", "'whole' || i, 'whole' || i || '@test.example', 'Whole ' || i"),
    into("wallets (user_id)", "'whole' || i"),
    into(
      "providers (name, api_url, encrypted_key, created_at)",
      "'Whole ' || i, 'https://whole' || i || '.example/api/v2', 'sealed', 1",
    ),
    into(
      "services (network, category, name, rate, min, max, provider_id, provider_service_id)",
      `'Instagram', 'Likes', 'Whole ' || i, 1000000, 1, 1000, ${providerId}, 'whole' || i`,
    ),
    into(
      `orders (user_id, service_id, type, ${placed})`,
      `'${userId}', ${serviceId}, 'Default', 'https://instagram.com/p/' || i, 1, 0, 'Pending', 1, 'whole' || i, '', 'web', 'manual', 1, 1`,
    ),
    into("ledger (user_id, kind, amount, balance_after, created_at)", `'${userId}', 'adjustment', 0, 1000000, 1`),
    into(
      "audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at)",
      "'staff', 'Grace', 'order.refund', 'order', i, 1",
    ),
    into("redeem_batches (id, name, amount, count, max_uses, created_at)", "i, 'Whole', 1, 1, 1, 1"),
    ...["1", "i"].map((batch) =>
      into("redeem_codes (batch_id, digest, ending, uses_left)", `${batch}, '${batch}-' || i, 'AAAA', 1`),
    ),
    into(
      "checkouts (id, user_id, amount, status, created_at, updated_at)",
      `'whole' || i, '${userId}', 1, 'expired', 1, 1`,
    ),
    ...["failed", "queued"].map((status) =>
      into(
        "emails (id, user_id, recipient, kind, status, expires_at, created_at, next_attempt_at)",
        `'${status}' || i, 'whole1', 'a@test.example', 'transcript', '${status}', ${LATER}, 1, ${LATER}`,
      ),
    ),
    into(
      "email_suppressions (address_digest, email_address, reason, created_at)",
      "'whole' || i, 'whole' || i || '@test.example', 'refused', 1",
    ),
    env.DB.prepare(
      `insert into quarantine (provider_id, service_id, reason, paused, found_at)
       select provider_id, id, 'gone', 0, 1 from services where provider_id = ${providerId}`,
    ),
    ...["refills", "cancellations"].map((table) =>
      env.DB.prepare(
        `insert into ${table} (order_id, user_id, fulfillment, created_at, updated_at)
         select id, user_id, 'manual', 1, 1 from orders where user_id = '${userId}'`,
      ),
    ),
    env.DB.prepare(
      "insert into tiers (id, slot, name, kind, basis_points, created_at, updated_at) values (1, 1, 'Whole', 'percent', 100, 1, 1)",
    ),
    env.DB.prepare(
      `insert into sales_days (day, service_id, provider_id, orders, charged)
       select ${YESTERDAY}, services.id, providers.id, 1, 1
       from (select id, row_number() over (order by id) as n from services) services
       join (select id, row_number() over (order by id) as n from providers) providers using (n)`,
    ),
    into("spending_days (user_id, day, orders, spent, balance)", `'whole' || i, ${YESTERDAY}, 1, 1, 0`),
  ]);
  await fillResources(rowCount);
  return userId;
}
