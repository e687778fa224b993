import type { DatabaseSync } from "node:sqlite";
import { MAX_LOGGED_CHARACTERS } from "#app/orders/providers/provider-link.server.ts";
import { COSTS_KEPT_DAYS, SALES_KEPT_DAYS } from "#app/orders/sales/old-sales.server.ts";
import { ORDERS_PER_SUM } from "#app/orders/sales/sum-up-sales.server.ts";
import { MICRO } from "#app/product.ts";
import { CONVERSATION_ENTRY_DAYS } from "#app/support/inbox/conversation-entries.server.ts";
import { DAY_MS } from "#app/time.ts";

/**
 * Rows that a day adds and how long each lives, at 5,000 orders and 3,000 messages a day. The other figures are assumptions
 * on the high side, listed in docs/limits-and-costs.md.
 */

export const YEARS = 5;
const YEAR_DAYS = 365;
/** Each year has ids of its own. Those below the first year's are left for rows that expire. */
const IDS_PER_YEAR = 50_000_000;
const ORDERS_PER_DAY = 5000;
const NEW_CUSTOMERS_PER_DAY = 50;
/** One order in so many is the reseller's, whose pages are measured. */
const RESELLER_SHARE = 10;
const OPEN_ORDERS = 50;
/** Pairs of a service and a provider that sell on a day. */
const SOLD_PER_DAY = 2000;
/** The provider of one order in so many reports a charge of its own, which changes the cost a second time. */
const REPORTED_SHARE = 5;
export const SERVICES = 500;
/** Balance that the reseller needs to order again. Micro-units. */
export const RESELLER_CREDIT = 1_000_000 * MICRO;
/** Mailboxes with automatic sync, each at its limit. */
const MAILBOXES = 200;

export type Filling = { scale: number; now: number; reseller: string };

type Rows = {
  /** The table and its columns. */
  into: string;
  /** SQL of the values. `i` counts from 1, `at` is the time in ms, `id` is free in this year. */
  values: string;
  perDay: number;
  /** Null: kept for ever. */
  lifeDays: number | null;
};

const uuid = (n: string) => `printf('%08x-0000-4000-8000-%012x', abs(random()) % 4294967296, ${n})`;
const hex = "lower(hex(randomblob(32)))";
/** As long as a digest of 128 bits, or a key that the product makes. */
const short = "substr(hex(randomblob(16)), 1, 22)";
/** Names `i`, because SQLite evaluates a subquery that depends on nothing only once. */
const someCustomer =
  "(select id from years_customers where rowid = 1 + (abs(random()) + 0 * i) % (select count(*) from years_customers))";

const MAIN_ROWS: Rows[] = [
  {
    into: "auth_sessions (id, user_id, refresh_digest, expires_at, created_at, last_used_at, user_agent, verified_at)",
    values: `${hex}, ${someCustomer}, ${hex}, at + ${30 * DAY_MS}, at, at, 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36', at`,
    perDay: 2000,
    lifeDays: 60,
  },
  {
    into: "security_events (id, user_id, kind, created_at, device, network, request_id)",
    values: `id, ${someCustomer}, 'log_in', at, 'Chrome on Windows', '203.0.113.77', ${uuid("i")}`,
    perDay: 2500,
    lifeDays: 365,
  },
  {
    into: "known_devices (user_id, device_digest, first_seen_at, last_seen_at)",
    values: `${someCustomer}, ${hex}, at, at`,
    perDay: 300,
    lifeDays: 400,
  },
  {
    into: "provider_log (id, provider_id, order_id, action, http_status, response, created_at)",
    // One in twenty is as long as it may be: a page of an error.
    values: `id, 1, null, 'add', 200, printf('%.*c', iif(i % 20, 200, ${MAX_LOGGED_CHARACTERS}), 'x'), at`,
    perDay: ORDERS_PER_DAY,
    lifeDays: 30,
  },
  {
    into: "webhook_deliveries (id, message_id, endpoint_id, event, body, attempts, delivered_at, last_status, created_at)",
    values: `id, ${uuid("i")}, 'years', 'order.completed', printf('%.*c', 500, 'x'), 1, at, 200, at`,
    perDay: ORDERS_PER_DAY / 2,
    lifeDays: 30,
  },
  {
    into: "emails (id, user_id, recipient, kind, status, attempts, expires_at, created_at, finished_at)",
    values: `${uuid("i")}, ${someCustomer}, 'customer' || i || '@mail.example', 'new_device', 'sent', 1, at, at, at`,
    perDay: 1500,
    lifeDays: 30,
  },
  {
    into: "push_deliveries (id, subscription_id, event, kind, status, attempts, expires_at, created_at)",
    values: "id, 'years', 'order:' || id, 'order', 'sent', 1, at, at",
    perDay: 2000,
    lifeDays: 7,
  },
  {
    into: "audit_log (id, actor_id, actor_name, action, subject_type, subject_id, detail, once_key, created_at)",
    values: `id, 'agent' || (i % 8), 'Bo Miller', 'conversation.assign', 'conversation', ${uuid("i")},
      '{"assignee":[null,"Bo Miller"]}', ${uuid("i")}, at`,
    perDay: 1000,
    lifeDays: 400,
  },
  {
    into: "audit_log (id, actor_id, actor_name, action, subject_type, subject_id, detail, once_key, created_at)",
    values: `id + ${IDS_PER_YEAR / 2}, 'agent' || (i % 8), 'Bo Miller', 'order.refund', 'order', i,
      '{"refunded":[0,900000],"reason":"The provider canceled it"}', ${uuid("i")}, at`,
    perDay: 150,
    lifeDays: null,
  },
  {
    into: `checkouts (id, user_id, session_id, amount, paid, received, received_currency, payment_intent, status, created_at,
      updated_at)`,
    values: `${uuid("i")}, ${someCustomer}, 'cs_live_' || ${hex}, 50000000, 50000000, 5000, 'usd', 'pi_' || substr(${hex}, 1, 24),
      'paid', at, at`,
    perDay: 200,
    lifeDays: null,
  },
  {
    into: "checkouts (id, user_id, session_id, amount, status, created_at, updated_at)",
    values: `${uuid("i")}, ${someCustomer}, 'cs_live_' || ${hex}, 50000000, 'expired', at, at`,
    perDay: 100,
    lifeDays: 90,
  },
  {
    into: "mass_orders (id, user_id, idempotency_key, request_digest, placed, skipped, charge, created_at)",
    values: `id, ${someCustomer}, ${uuid("i")}, substr(${hex}, 1, 32), 20, 0, 18000000, at`,
    perDay: 50,
    lifeDays: null,
  },
  {
    into: "uploads (id, user_id, key, name, content_type, size, created_at)",
    values: `${uuid("i")}, ${someCustomer}, 'uploads/' || ${uuid("i")}, 'links.csv', 'text/csv', 20000, at`,
    perDay: 50,
    lifeDays: null,
  },
  {
    into: "catalog_changes (id, provider_id, provider_service_id, kind, before, after, created_at)",
    values: "id, 1, i % 2000, 'price', '0.90', '0.95', at",
    perDay: 100,
    lifeDays: 180,
  },
];

const SUPPORT_ROWS: Rows[] = [
  {
    into: `support_sessions (id, session_id, user_name, user_email, status, last_seq, agent_read_seq, last_message,
      created_at, updated_at, assignee_id, assignee_name, user_read_seq, reply_seq, reply_at)`,
    values: `id, 'anon_' || at || '_' || printf('%032x', id), 'Visitor ' || i, 'visitor' || i || '@mail.example',
      iif(isNewest and i > count - 60, 'open', 'closed'), 8, 8, 'Thank you, that helped.', at, at, 'agent' || (i % 8), 'Bo Miller', 8, 8, at`,
    perDay: 375,
    lifeDays: null,
  },
  {
    into: "support_messages (id, session_id, seq, sender_type, sender_name, message, created_at)",
    values: `id, (select session_id from support_sessions where id = base + (i + 7) / 8), 1 + (i - 1) % 8,
      iif(i % 2, 'user', 'admin'), iif(i % 2, 'Visitor', 'Bo Miller'),
      'Order ' || (abs(random()) % 9000000) || ': ' || substr(text, 1 + abs(random()) % (length(text) - 130), 130), at`,
    perDay: 3000,
    lifeDays: null,
  },
  {
    into: "support_notes (id, session_id, no, author_id, author_name, body, created_at)",
    values: `id, (select session_id from support_sessions where id = base + i * 3), 1, 'agent1', 'Bo Miller',
      substr(text, 1 + abs(random()) % (length(text) - 80), 80), at`,
    perDay: 100,
    lifeDays: null,
  },
  {
    into: "support_cases (id, session_id, no, started_at, first_reply_at, agent_id, agent_name, closed_at, rating, rated_at)",
    values: `id, (select session_id from support_sessions where id = base + i), 1, at, at + 60000, 'agent1', 'Bo Miller',
      at + 600000, iif(i % 5, null, 'good'), iif(i % 5, null, at)`,
    perDay: 375,
    lifeDays: null,
  },
];

/**
 * Adds what years leave behind, the oldest first, as they would have been written. The last one, up to `now`, also has all
 * that is short-lived. Amounts add up: an account's year starts and ends with an empty wallet.
 */
export function fillYears(
  main: DatabaseSync,
  support: DatabaseSync,
  words: string,
  years: number,
  filling: Filling,
): void {
  for (const database of [main, support]) {
    database.exec("pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -200000; begin");
  }
  // The accounts' own events of their sign-up are where rows that expire belong.
  main.exec("delete from security_events; create temp table years_customers (id text)");
  for (let ago = years; ago > 0; ago--) {
    addCustomers(main, ago, filling);
    addOrders(main, ago, filling);
    for (const rows of MAIN_ROWS) add(main, rows, ago, filling);
    for (const rows of SUPPORT_ROWS) add(support, rows, ago, filling, words);
  }
  if (years > 0) addPresent(main, filling);
  addSales(main, filling);
  skipTo(main, "spending", "select max(id) from ledger");
  skipTo(main, "costs", "select max(id) from order_costs");
  skipTo(main, "ledger check: new entries", "select max(id) from ledger");
  skipTo(main, "ledger check: new orders", "select max(id) from orders");
  skipTo(main, "ledger check: days", "select max(day) from sales_day_totals");
  const old = filling.now - CONVERSATION_ENTRY_DAYS * DAY_MS;
  skipTo(main, "old audit entries", `select max(id) from audit_log where created_at < ${old}`);
  if (years > 0) addExpiredDay(main, filling);
  for (const database of [main, support]) database.exec("commit; pragma wal_checkpoint(truncate)");
}

/** Sets the position of a job that has gone through everything so far. */
function skipTo(main: DatabaseSync, job: string, position: string): void {
  main.exec(`insert into rollups (name, up_to_id) select '${job}', coalesce((${position}), 0)
    on conflict (name) do update set up_to_id = excluded.up_to_id`);
}

/** Adds the rows of one day that are about to be deleted, where the oldest are. */
function addExpiredDay(main: DatabaseSync, { scale }: Filling): void {
  for (const rows of MAIN_ROWS) {
    // Entries of the audit log are deleted by position: its own test counts that.
    if (rows.lifeDays === null || rows.into.startsWith("audit_log")) continue;
    insert(main, rows, { count: Math.ceil(rows.perDay / scale), base: 0, from: 1, step: 1, isNewest: false });
  }
}

function add(database: DatabaseSync, rows: Rows, ago: number, { scale, now }: Filling, text = ""): void {
  const newest = (ago - 1) * YEAR_DAYS;
  const days = Math.min(YEAR_DAYS, (rows.lifeDays ?? Number.POSITIVE_INFINITY) - newest);
  if (days <= 0) return;
  const count = Math.ceil((rows.perDay * days) / scale);
  const from = now - (newest + days) * DAY_MS;
  insert(database, rows, { count, base: baseOf(ago), from, step: (days * DAY_MS) / count, isNewest: ago === 1 }, text);
}

/** The columns `i`, `at`, `id`, `base`, `count`, `isNewest` and `text` are there for `values`. */
function insert(
  database: DatabaseSync,
  { into, values }: Rows,
  { count, base, from, step, isNewest }: { count: number; base: number; from: number; step: number; isNewest: boolean },
  text = "",
): void {
  if (count === 0) return;
  database
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}),
         rows(i, at, id, base, count, isNewest, text) as (select i, cast(${from} + (i - 0.5) * ${step} as integer), ${base} + i, ${base}, ${count}, ${isNewest}, ? from n)
       insert into ${into} select ${values} from rows`,
    )
    .run(text);
}

function addCustomers(main: DatabaseSync, ago: number, { scale, now }: Filling): void {
  const count = Math.ceil((NEW_CUSTOMERS_PER_DAY * YEAR_DAYS) / scale);
  const at = now - ago * YEAR_DAYS * DAY_MS;
  main.exec(`
    delete from years_customers;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into years_customers select ${short} from n;
    insert into users (id, email, password_hash, created_at, email_confirmed_at)
      select id, id || '@mail.example', printf('%.*c', 120, 'x'), ${at}, ${at} from years_customers;
    insert into profiles (user_id, email, full_name)
      select id, id || '@mail.example', 'Customer ' || ${ago * IDS_PER_YEAR} + rowid from years_customers;
    insert into wallets (user_id) select id from years_customers;
    insert into favorites (user_id, service_id, created_at) select id, 1 + rowid % ${SERVICES}, ${at} from years_customers;
    insert into api_keys (id, user_id, name, digest, prefix, created_at)
      select ${short}, id, 'Panel', ${hex}, 'gl_live_1234', ${at} from years_customers where rowid % 5 = 0;`);
}

function addOrders(main: DatabaseSync, ago: number, { scale, now, reseller }: Filling): void {
  const count = Math.ceil((ORDERS_PER_DAY * YEAR_DAYS) / scale);
  // Without gaps: the ledger check goes through ranges of ids.
  const [base, ledgerBase] = [lastId(main, "orders"), lastId(main, "ledger")];
  const from = now - ago * YEAR_DAYS * DAY_MS;
  const open = ago === 1 ? `i > ${count - OPEN_ORDERS}` : "0";
  const today = Math.floor(now / DAY_MS);
  // Day by day, as an order's row grows soon after it was placed: that leaves pages as full as they are in the product.
  const perDay = Math.ceil(count / YEAR_DAYS);
  for (let first = 1; first <= count; first += perDay) {
    const last = Math.min(count, first + perDay - 1);
    const ofDay = `id between ${base + first} and ${base + last}`;
    main.exec(`
      with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last}),
        placed(i, at, user_id, status) as materialized (select i, cast(${from} + i * ${(YEAR_DAYS * DAY_MS) / count} as integer),
          iif(i % ${RESELLER_SHARE} = 0, '${reseller}', ${someCustomer}),
          case when ${open} then 'Pending' when i % 25 = 1 then 'Canceled' when i % 40 = 1 then 'Partial' else 'Completed' end
          from n)
      insert into orders (id, user_id, service_id, type, link, link_key, quantity, charge, price_rule, discount, history, refunded, status, start_count, remains,
        idempotency_key, request_digest, source, api_key_id, reference, provider_id, provider_service_id, provider_order_id,
        fulfillment, attempts, expected_by, refill_days, refill_until, created_at, updated_at)
      select ${base} + i, user_id, 1 + i % ${SERVICES}, 'Default', 'https://www.instagram.com/p/' || substr(${hex}, 1, 11) || '/', abs(random()) >> 15, 1000,
        900000, iif(i % 5, null, '{"kind":"tier","id":3,"name":"Gold","basisPoints":1000}'), iif(i % 5, 0, 100000),
        iif(status = 'Pending', '', 'a4i95c3000'), case status when 'Canceled' then 900000 when 'Partial' then 450000 else 0 end, status, 1000,
        case status when 'Canceled' then 1000 when 'Partial' then 500 when 'Pending' then 1000 else 0 end,
        case i % 4 when 0 then ${uuid("i")} when 2 then 'auto-' || ${short} else 'web-' || ${short} end, ${short},
        iif(i % 2, 'web', 'api'), iif(i % 2, null, ${short}), iif(i % 6, null, 'campaign-' || i / 100),
        iif(status = 'Pending', null, 1), iif(status = 'Pending', null, '4711'), iif(status = 'Pending', null, ${base} + i),
        iif(status = 'Pending', 'manual', 'accepted'), 1, at + 3600000, 30, at + ${30 * DAY_MS}, at, at + 3000000 from placed;
      update orders set cost = 450000, cost_is_reported = 0 where ${ofDay} and provider_id is not null;
      update orders set cost = 441000, cost_is_reported = 1 where ${ofDay} and provider_id is not null and id % ${REPORTED_SHARE} = 0;`);
  }
  main.exec(`
    create temp table if not exists years_entries (seq, user_id, order_id, kind, amount, at);
    delete from years_entries;
    insert into years_entries select 0, user_id, null, 'topup', sum(charge), ${from} from orders
      where id > ${base} and id <= ${base + count} group by user_id;
    insert into years_entries select 9e15, user_id, null, 'adjustment', -sum(refunded), max(updated_at) from orders
      where id > ${base} and id <= ${base + count} and refunded > 0 group by user_id;
    insert into years_entries select id * 2, user_id, id, 'charge', -charge, created_at from orders
      where id > ${base} and id <= ${base + count};
    insert into years_entries select id * 2 + 1, user_id, id, 'refund', refunded, updated_at from orders
      where id > ${base} and id <= ${base + count} and refunded > 0;
    insert into ledger (id, user_id, order_id, kind, amount, balance_after, created_at)
      select ${ledgerBase} + row_number() over (order by seq, user_id), user_id, order_id, kind, amount,
        sum(amount) over (partition by user_id order by seq), at from years_entries order by seq, user_id;
    insert into spending_days (user_id, day, spent, added, orders, balance, cost, ended)
      select user_id, at / ${DAY_MS}, -sum(amount), 0, sum(kind = 'charge'), 0, 450000 * sum(kind = 'charge'),
        json_object('c' || (80 + user_id % 40), sum(kind = 'charge')) from years_entries
      where order_id is not null and at / ${DAY_MS} >= ${today - 400} group by 1, 2 on conflict do nothing;
    insert into refills (id, order_id, user_id, status, provider_id, provider_refill_id, fulfillment, created_at, updated_at)
      select id, id, user_id, 'Completed', 1, id, 'accepted', created_at, created_at from orders
      where id > ${base} and id <= ${base + count} and (id - ${base}) % 50 = 7;
    insert into cancellations (order_id, user_id, status, provider_id, fulfillment, created_at, updated_at)
      select id, user_id, 'Accepted', 1, 'accepted', created_at, created_at from orders
      where id > ${base} and id <= ${base + count} and (id - ${base}) % 50 = 26;`);
}

function lastId(main: DatabaseSync, table: "orders" | "ledger"): number {
  const row = main.prepare(`select coalesce(max(id), 0) as id from ${table}`).get() as { id: number };
  return row.id;
}

/** Adds what the jobs make of orders and their costs, and leaves the changes of costs that they keep, and a day to delete. */
function addSales(main: DatabaseSync, { scale, now }: Filling): void {
  const today = Math.floor(now / DAY_MS);
  main.exec(`
    insert into order_cost_sums select id / ${ORDERS_PER_SUM}, coalesce(sum(cost), 0) from orders group by 1;
    insert into sales_days (day, service_id, provider_id, orders, charged, refunds, refunded, cost, costed)
      select created_at / ${DAY_MS}, 1 + service_id % ${Math.ceil(SOLD_PER_DAY / scale)}, coalesce(provider_id, 0), count(*), sum(charge),
        sum(refunded > 0), sum(refunded), sum(coalesce(cost, 0)), sum(cost is not null) from orders group by 1, 2, 3;
    insert into sales_day_totals (day, orders, charged, refunds, refunded, cost, costed)
      select day, sum(orders), sum(charged), sum(refunds), sum(refunded), sum(cost), sum(costed) from sales_days group by 1;
    update sales_day_totals set first_entry_id = l.low, last_entry_id = l.high from
      (select created_at / ${DAY_MS} as day, min(id) as low, max(id) as high from ledger where kind in ('charge', 'refund') group by 1) l
      where l.day = sales_day_totals.day;
    update sales_day_totals set first_cost_id = c.low, last_cost_id = c.high from
      (select created_at / ${DAY_MS} as day, min(id) as low, max(id) as high from order_costs group by 1) c
      where c.day = sales_day_totals.day;
    delete from sales_days where day < ${today - SALES_KEPT_DAYS - 1};
    delete from order_costs where created_at / ${DAY_MS} < ${today - COSTS_KEPT_DAYS - 1};`);
}

/** Adds what does not grow with the years: it belongs to the present. */
function addPresent(main: DatabaseSync, { scale, now, reseller }: Filling): void {
  const mailboxes = Math.ceil(MAILBOXES / scale);
  const today = Math.floor(now / DAY_MS);
  main.exec(`
    insert into webhook_endpoints (id, user_id, url, secret, created_at) values ('years', '${reseller}', 'https://hooks.example', '', 1);
    insert into push_subscriptions (id, digest, owner, kind, service, sealed_target, server_key, created_at, seen_at)
      values ('years', '', 'visitor', 'web', 'push.example', '', '', ${now}, ${now});
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${mailboxes * 2000})
      insert into gmail_messages (id, user_id, from_email, from_name, subject, snippet, internal_date)
      select substr(${hex}, 1, 16), 'mailbox' || (i % ${mailboxes}), 'sender' || (i % 90) || '@mail.example', 'A sender', 'About your order',
        printf('%.*c', 180, 'x'), ${now} - i * 60000 from n;
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${Math.ceil((SERVICES * 30) / scale)})
      insert into service_days (day, service_id, ended) select ${today} - i % 30, 1 + i / 30, '{"completed:60":9,"completed:120":1}' from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${Math.ceil(3000 / scale)})
      insert into rate_limits (key, count, resets_at) select 'login:' || ${hex}, 1, ${now + DAY_MS} from n;`);
}

function baseOf(ago: number): number {
  return (YEARS - ago + 1) * IDS_PER_YEAR;
}
