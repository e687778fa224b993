import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { consolePages, storeConsoleExamples } from "#tests/workerd/console-examples.ts";
import { countedDatabase, type StatementCounts } from "#tests/workerd/counted-database.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { openPage } from "../../../tests/open-page.ts";

/** Orders of the last month, and those before it. Each size of the history adds as many of the latter. */
const RECENT = 2000;
const OLD = 6000;
const SERVICES = 30;
const CUSTOMERS = 200;
/** A search by halves reads a row or two more for each doubling, in each of a page's statements. */
const MORE_STEPS = 40;
/** The newest orders have the highest ids, as everywhere. */
const FIRST_RECENT = 1_000_000;

const now = Date.now();
const today = Math.floor(now / DAY_MS);
const date = (daysAgo: number) => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);

/** Pages of the console with what narrows them. */
const NARROWED = [
  "/admin/orders?state=held",
  "/admin/orders?state=manual",
  "/admin/orders?state=open",
  "/admin/orders?state=Pending",
  "/admin/orders?state=Canceled",
  "/admin/orders?state=Completed",
  "/admin/orders?state=all",
  "/admin/orders?late=1",
  "/admin/orders?late=1&service=7",
  "/admin/orders?still=1",
  "/admin/orders?held=cut_off",
  "/admin/orders?service=7",
  "/admin/orders?provider=1",
  "/admin/orders?provider=none",
  "/admin/orders?source=api",
  `/admin/orders?state=all&from=${date(9)}&to=${date(8)}`,
  `/admin/orders?service=7&provider=1&source=web&from=${date(9)}`,
  "/admin/orders?q=customer7@test.example",
  "/admin/orders?q=customer",
  "/admin/orders?q=https://instagram.com/p/1000007",
  "/admin/orders?q=reference-1000010",
  "/admin/services?sort=-orders",
  "/admin/services?q=likes&state=enabled",
  "/admin/customers?q=customer",
  "/admin/customers?q=stomer19",
  "/admin/payments?state=review",
  "/admin/payments?state=reversed",
  "/admin/audit?who=staff1",
  "/admin/audit?what=order.refund",
  "/admin/audit?of=service&about=7",
  "/admin/audit?of=customer&about=customer7@test.example",
  `/admin/audit?who=staff1&what=order.status&from=${date(9)}&to=${date(2)}`,
  "/admin/reports?by=service",
  "/admin/reports?by=service&sort=-change",
  "/admin/reports?by=provider",
  "/admin/reports?by=customer",
];
/** Stored before the tests are named. */
const PAGES = await storeExamples();

/** Rows of a page at most. What waits for a person counts to 100 of each kind, which is 550 of them. */
const MAX_ROWS = 2000;
/**
 * Pages whose rows are bounded by something else than one page: a page of each of the three customers found, the days of a
 * customer's year, customers of a tier, the orders that are looked through for those of no provider.
 */
const BOUNDED: Record<string, number> = {
  "/admin/orders?q=customer": 3 * 200 + 600,
  "/admin/customers/:id": 400 + 700,
  "/admin/tiers": 3 * 1000 + 600,
  "/admin/tiers/:id": 1000 + 900,
  "/admin/orders?provider=none": 8000,
};
/** Pages that read more, by design: a row per day and subject of 60 days, or rows without an index, up to a bound. */
const MAX_ROWS_OF: Record<string, number> = {
  "/admin/reports?by=service": 10_000,
  "/admin/reports?by=service&sort=-change": 10_000,
  "/admin/reports?by=provider": 10_000,
  "/admin/reports?by=customer": 15_000,
  "/admin/tiers": 4000,
  "/admin/orders?provider=none": 8000,
};

let cookie: string;
const sizes: Record<string, { rows: number; byStatement: Map<string, StatementCounts> }>[] = [];

beforeAll(async () => {
  ({ cookie } = await signedIn("admin"));
  for (const size of [0, 1]) {
    if (size > 0) await fill({ first: 1, count: OLD, from: today - 390, days: 300 });
    const counted: (typeof sizes)[number] = {};
    for (const { path } of PAGES) {
      const { database, counts, byStatement } = countedDatabase(env.DB);
      const { status, text } = await openPage(path, { cookie, database });
      // A search that finds one order leads to it.
      if (status !== 200 && status !== 302) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
      counted[path] = { rows: counts.rowsRead, byStatement };
    }
    sizes.push(counted);
  }
}, 300_000);

for (const { path, name } of PAGES) {
  test(`reads no more rows for ${name} with a longer history`, () => {
    const [short, long] = [sizes[0]?.[path], sizes[1]?.[path]];
    const grown = BOUNDED[name] ?? (short?.rows ?? 0) + MORE_STEPS;
    const most = grownStatements(short?.byStatement, long?.byStatement);
    expect(long?.rows, most).toBeLessThanOrEqual(Math.min(grown, MAX_ROWS_OF[name] ?? MAX_ROWS));
  });
}

/** Names the statements that read more rows than before, those that grew most first. */
function grownStatements(
  short: Map<string, StatementCounts> = new Map(),
  long: Map<string, StatementCounts> = new Map(),
) {
  return [...long]
    .map(([text, { rowsRead }]) => ({ text, rowsRead, grown: rowsRead - (short.get(text)?.rowsRead ?? 0) }))
    .filter(({ grown }) => grown > 0)
    .toSorted((one, other) => other.grown - one.grown)
    .map(({ text, rowsRead, grown }) => `${rowsRead} (${grown} more): ${text.slice(0, 300)}`)
    .join("\n");
}

/** Fills the shorter history, and returns each page of the console with an example from it. `name` is the same in each run. */
async function storeExamples(): Promise<{ name: string; path: string }[]> {
  await fillCatalog();
  await fill({ first: FIRST_RECENT, count: RECENT, from: today - 29, days: 30 });
  await storeConsoleExamples();
  const pages = [...(await consolePages())].map(([name, path]) => ({ name, path }));
  const narrowed = NARROWED.map((path) => ({ name: path.replaceAll(/\d{4}-\d\d-\d\d/g, "DATE"), path }));
  return [...pages, ...narrowed];
}

async function fillCatalog(): Promise<void> {
  const run = (statement: string) => env.DB.prepare(statement);
  await env.DB.batch([
    run(`${numbers(1, 3)} insert into providers (id, name, api_url, encrypted_key, created_at)
      select i, 'Provider ' || i, 'https://provider.example', '', 1 from n`),
    run(`${numbers(1, SERVICES)} insert into services (id, network, category, name, type, rate, min, max, provider_id,
        provider_service_id, provider_rate)
      select i, 'Network ' || i % 5, 'Category ' || i % 4, 'Likes ' || i, 'Default', 2000, 1, 1000, 1 + i % 3, i, 1000
      from n`),
    run(`${numbers(1, SERVICES)} insert into service_times (service_id, p50_ms, p90_ms, completed, partial, canceled, open,
        orders, late)
      select i, 1000, 2000, 50, 0, 0, 9, 99, i % 5 from n`),
    run(`${numbers(1, 3)} insert into tiers (id, slot, name, kind, basis_points, created_at, updated_at)
      select i, i, 'Tier ' || i, 'percent', 100 * i, 1, 1 from n`),
  ]);
}

/** Adds orders and all that grows with them, spread over some days. */
async function fill({ first, count, from, days }: { first: number; count: number; from: number; days: number }) {
  const isOld = first < FIRST_RECENT;
  const run = (numbered: string, statement: string) => env.DB.prepare(`${numbered} ${statement}`);
  const each = numbers(first, count);
  const at = `(${from} * ${DAY_MS} + (i - ${first}) * ${Math.floor((days * DAY_MS) / count)} - ${DAY_MS})`;
  const customer = `'customer' || (${isOld ? CUSTOMERS : 0} + i % ${CUSTOMERS})`;
  const customers = numbers(isOld ? CUSTOMERS : 0, CUSTOMERS);
  const daysEach = numbers(from, days);
  await env.DB.batch([
    env.DB.prepare("pragma defer_foreign_keys = on"),
    run(
      customers,
      "insert into users (id, email, created_at) select 'customer' || i, 'customer' || i || '@test.example', i from n",
    ),
    run(
      customers,
      `insert into profiles (user_id, email, full_name)
        select 'customer' || i, 'customer' || i || '@test.example', 'Customer ' || i from n`,
    ),
    run(customers, "insert into wallets (user_id, balance, tier_id) select 'customer' || i, 1000000, 1 + i % 3 from n"),
    // The old ones have ended, a twentieth of the recent ones waits in each way that an order can.
    run(
      each,
      `insert into orders (id, user_id, service_id, type, link, link_key, quantity, charge, status, remains, reference,
          idempotency_key, request_digest, source, fulfillment, held_for, provider_id, provider_service_id,
          provider_order_id, expected_by, created_at, updated_at)
        select i, ${customer}, 1 + i % ${SERVICES}, 'Default', 'https://instagram.com/p/' || i, i, 100, 200,
          case when i % 20 = 4 then 'Canceled' when ${isOld} or i % 20 not in (1, 2, 3) then 'Completed' else 'Pending' end,
          0, iif(i % 10 = 0, 'reference-' || i, null), 'k' || i, '', iif(i % 3, 'api', 'web'),
          case when ${isOld} then 'accepted' when i % 20 = 1 then 'held' when i % 20 = 2 then 'manual' else 'accepted' end,
          iif(not ${isOld} and i % 20 = 1, 'cut_off', null),
          iif(i % 20 = 2, null, 1 + i % 3), iif(i % 20 = 2, null, '1'), iif(i % 20 = 2, null, 'p' || i),
          ${at} + 1000, ${at}, ${at} from n`,
    ),
    run(
      each,
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
        select ${customer}, i, 'charge', -200, 1000000, ${at} from n`,
    ),
    run(
      each,
      `insert into audit_log (id, actor_id, actor_name, action, subject_type, subject_id, created_at)
        select i, 'staff' || i % 3, 'Grace', iif(i % 2, 'order.refund', 'order.status'), 'order', i, ${at} from n`,
    ),
    run(
      each,
      `insert into audit_subjects (entry_id, subject_type, subject_id) select i, 'service', 1 + i % ${SERVICES} from n`,
    ),
    run(
      each,
      `insert into audit_subjects (entry_id, subject_type, subject_id) select i, 'customer', ${customer} from n`,
    ),
    run(
      each,
      `insert into checkouts (id, user_id, amount, paid, reversed, status, created_at, updated_at)
        select 'c' || i, ${customer}, 100, iif(i % 10 = 3, null, 100), iif(i % 10 = 5, 100, 0),
          iif(i % 10 = 3, iif(${isOld}, 'refused', 'review'), 'paid'), ${at}, ${at} from n`,
    ),
    run(
      each,
      `insert into emails (id, recipient, kind, status, expires_at, created_at)
        select 'e' || i, 'a@test.example', 'transcript', iif(i % 3, 'failed', 'sent'), 1, ${at} from n`,
    ),
    run(
      each,
      `insert into percent_codes (id, digest, ending, name, basis_points, uses_left, starts_at, created_by, created_at)
        select i, 'd' || i, 'AAAA', 'Code ' || i, 500, 5, ${at}, 'staff1', ${at} from n where i % 10 = 0`,
    ),
    run(
      each,
      `insert into percent_code_uses (order_id, code_id, user_id, created_at)
        select i, max(i / 10 * 10, ${Math.ceil(first / 10) * 10}), ${customer}, ${at} from n`,
    ),
    run(
      each,
      `insert into redeem_batches (id, name, amount, count, max_uses, created_at) select i, 'b', 1, 1, 1, ${at} from n`,
    ),
    run(
      each,
      `insert into quarantine (provider_id, service_id, reason, paused, found_at, decided_at, decision)
        select 1 + (i % ${SERVICES} + 1) % 3, 1 + i % ${SERVICES}, 'rise', 0, ${at}, iif(${isOld} or i - ${first} >= 25, ${at}, null),
          iif(${isOld} or i - ${first} >= 25, 'take', null) from n`,
    ),
    run(
      each,
      `insert into provider_log (provider_id, order_id, action, response, created_at)
        select 1 + i % 3, iif(i % 2, i, null), 'add', '{"order":1}', ${at} from n`,
    ),
    run(
      each,
      `insert into customer_notes (user_id, body, author_id, author_name, created_at)
        select ${customer}, 'A note', 'staff1', 'Grace', ${at} from n where i % 10 = 0`,
    ),
    run(
      each,
      `insert into refills (order_id, user_id, status, provider_id, fulfillment, created_at, updated_at)
        select i, ${customer}, iif(${isOld}, 'Completed', 'Pending'), 1, 'manual', ${at}, ${at} from n where i % 20 = 5`,
    ),
    // Sums of days, as the jobs write them. Each service sells every day, and a part of the customers orders.
    run(
      daysEach,
      `insert into sales_days (day, service_id, provider_id, orders, charged, cost, costed)
        select i, s.id, s.provider_id, 1, 200, 100, 1 from n cross join services s`,
    ),
    run(
      daysEach,
      "insert into sales_day_totals (day, orders, charged, cost, costed) select i, 100, 20000, 10000, 100 from n",
    ),
    run(
      daysEach,
      `insert into service_days (day, service_id, ended) select i, s.id, '{"C5":1}' from n cross join services s`,
    ),
    run(
      daysEach,
      `insert into spending_days (user_id, day, spent, orders, balance, cost)
        select u.user_id, i, 200, 1, 1000000, 100 from n cross join wallets u where u.user_id like 'customer%'`,
    ),
    run(
      daysEach,
      "insert into provider_use_days (provider_id, day, spent, cost, calls) select p.id, i, 100, 100, 9 from n cross join providers p",
    ),
  ]);
}

function numbers(from: number, count: number): string {
  return `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})`;
}
