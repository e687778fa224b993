import type { DatabaseSync } from "node:sqlite";
import { MICRO } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";

const CUSTOMERS = 1000;
const CHARGE = 900;
const TOP_UP = 1000 * MICRO;
/** Each order says that it began with so many. */
export const START_COUNT = 100;

/**
 * Fills the database with finished orders and with open ones that the providers have accepted, and the ledger of both. A
 * hundredth of the open ones is recent. The open orders of the n-th provider have its ids 1, 2, 3 … There are as many
 * services as providers. `now` is in ms since 1970.
 *
 * @returns the highest order id.
 */
export function seedOrders(
  database: DatabaseSync,
  {
    finished,
    open,
    providerIds,
    serviceIds,
    now = Date.now(),
  }: { finished: number; open: number; providerIds: number[]; serviceIds: number[]; now?: number },
): number {
  const total = finished + open;
  const perCustomer = Math.ceil(total / CUSTOMERS);
  const many = (count: number) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const nth = (ids: number[]) => `json_extract('${JSON.stringify(ids)}', '$[' || ((i - 1) % ${ids.length}) || ']')`;
  const customer = `'seed' || ((i - 1) % ${CUSTOMERS})`;
  database.exec(`
    pragma synchronous = off; pragma cache_size = -500000; pragma foreign_keys = off;
    begin;
    ${many(CUSTOMERS)} insert into users (id, email, created_at, email_confirmed_at)
      select ${customer}, 'seed' || i || '@bench.example', 1, 1 from n;
    ${many(CUSTOMERS)} insert into wallets (user_id, balance)
      select ${customer}, ${TOP_UP} - ${CHARGE} * ((${total} - i) / ${CUSTOMERS} + 1) from n;
    ${many(CUSTOMERS)} insert into ledger (user_id, kind, amount, balance_after, created_at)
      select ${customer}, 'topup', ${TOP_UP}, ${TOP_UP}, 1 from n;
    ${many(total)} insert into orders (id, user_id, service_id, type, link, quantity, charge, status, start_count, remains,
        idempotency_key, request_digest, source, fulfillment, provider_id, provider_service_id, provider_order_id,
        attempts, created_at, updated_at)
      select i, ${customer}, ${nth(serviceIds)}, 'Default', 'https://instagram.com/p/seed-' || i, 1000, ${CHARGE},
        iif(i <= ${finished}, 'Completed', 'Pending'), ${START_COUNT}, iif(i <= ${finished}, 0, 1000),
        'seed-' || i, '', 'api', 'accepted', ${nth(providerIds)}, '1',
        iif(i <= ${finished}, 'finished-' || i, cast((i - ${finished} - 1) / ${providerIds.length} + 1 as text)),
        1,
        case when i <= ${finished} then ${now} - ${2 * HOUR_MS} - (${finished} - i) * 1000
          when i <= ${finished} + ${open} * 99 / 100 then ${now} - ${2 * HOUR_MS}
          else ${now} end,
        ${now} from n;
    insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
      select user_id, id, 'charge', -charge, ${TOP_UP} - ${CHARGE} * ((id - 1) / ${CUSTOMERS} + 1), created_at from orders
      where id <= ${total} order by id;
    insert into rollups (name, up_to_id) values ('spending', (select max(id) from ledger))
      on conflict (name) do update set up_to_id = excluded.up_to_id;
    commit;
    pragma wal_checkpoint(truncate);`);
  if (perCustomer * CHARGE > TOP_UP) throw new Error("the seeded customers cannot pay");
  return total;
}
