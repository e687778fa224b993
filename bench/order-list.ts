import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { listCustomers, readCustomerQuery } from "#app/console/customers/customer-list.server.ts";
import { listStaffOrderPage, readStaffOrderQuery } from "#app/console/orders/list/staff-order-page.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { type ListCursor, parseCursor } from "#app/http/lists/list-query.ts";
import { listOwnOrders } from "#app/orders/api/own-orders.server.ts";
import { openMainDatabase } from "#tests/product/copy-database.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";
import { type Figure, reportFigures } from "./figures.ts";

/**
 * `npm run bench -- list [--orders 1000000] --runs 1`: counts the rows that D1 reads for the first, a middle and the last
 * page of one customer's list of orders in API v1, and for the first and a middle page of the console's lists of as many
 * orders and customers. Counts, not times: they are the same on every machine. What a search for customers takes is a time,
 * because its index counts no rows.
 */

const PAGE = 50;
const OWNER = { userId: "bench", isTest: false };
/** Every so many orders one has the reference, and one was canceled. */
const RARE = 1000;

type ConsoleList = (db: Db, after: ListCursor | null) => Promise<{ rows: unknown[]; next: string | null }>;

const customers =
  (query: string): ConsoleList =>
  (db, after) =>
    listCustomers(db, readCustomerQuery(new URLSearchParams(query)), after, PAGE);
const staffOrders =
  (query: string): ConsoleList =>
  async (db, after) => {
    const { query: wanted } = await readStaffOrderQuery(db, new URLSearchParams(query));
    return wanted ? listStaffOrderPage(db, wanted, after, PAGE) : { rows: [], next: null };
  };
const CONSOLE_LISTS: Record<string, ConsoleList> = {
  "console: all orders": staffOrders("state=all"),
  "console: canceled orders, oldest first": staffOrders("state=Canceled&sort=created"),
  "console: orders of one day": staffOrders("state=all&from=1970-01-01&to=1970-01-01&sort=created"),
  "console: newest customers": customers(""),
  "console: customers by name": customers("sort=name"),
  "console: customers of one day": customers("from=1970-01-01&to=1970-01-01"),
  "console: customers containing what all have": customers("q=example"),
  "console: customers containing what a few have": customers("q=rson77777"),
  "console: customers containing what none has": customers("q=example.exam"),
};

const at = process.argv.indexOf("--orders");
const total = at < 0 ? 1_000_000 : Number(process.argv[at + 1]);
const stateDir = mkdtempSync(join(tmpdir(), "growline-list-"));
const launch = () =>
  new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDir, "v3"),
      telemetry: { enabled: false },
      modules: true,
      script: "export default {}",
      d1Databases: { DB: "orders" },
      compatibilityDate: "2026-01-01",
    }),
  );
try {
  let miniflare = launch();
  const [main] = readDatabases(join(import.meta.dirname, ".."));
  if (!main) throw new Error("no database");
  await applyMigrations((await miniflare.getD1Database("DB")) as unknown as D1Database, main.migrations);
  await miniflare.dispose();
  fill();
  miniflare = launch();
  const database = (await miniflare.getD1Database("DB")) as unknown as D1Database;
  const pages = { first: null, middle: Math.floor(total / 2), last: PAGE + 1 };
  const filters = {
    "all orders": {},
    completed: { status: "Completed" },
    canceled: { status: "Canceled" },
    "one reference": { reference: "campaign" },
  } as const;
  const figures: Figure[] = [];
  for (const [filter, query] of Object.entries(filters)) {
    for (const [page, before] of Object.entries(pages)) {
      const { database: counted, counts } = countedDatabase(database);
      const wanted = { reference: null, status: null, limit: PAGE, ...query, before };
      const { orders } = await listOwnOrders(connect(counted), OWNER, wanted);
      figures.push({ name: `${filter}, ${page} page (${orders.length} orders)`, value: counts.rowsRead, unit: "rows" });
    }
  }
  for (const [name, list] of Object.entries(CONSOLE_LISTS)) {
    let after: ListCursor | null = null;
    for (const page of ["first", "next"]) {
      const { database: counted, counts } = countedDatabase(database);
      const { rows, next } = await list(connect(counted), after);
      figures.push({ name: `${name}, ${page} page (${rows.length} rows)`, value: counts.rowsRead, unit: "rows" });
      after = parseCursor(next);
      if (after === null) break;
    }
    const began = performance.now();
    await list(connect(database), null);
    figures.push({ name: `${name}, first page`, value: performance.now() - began, unit: "ms" });
  }
  reportFigures(figures);
  await miniflare.dispose();
} finally {
  rmSync(stateDir, { recursive: true });
}

/** Stores the orders of one customer, and as many of others between them as a tenth of them. */
function fill(): void {
  const file = openMainDatabase(stateDir);
  file.exec(`
    pragma synchronous = off; pragma foreign_keys = off;
    begin;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total})
      insert into orders (id, user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
        request_digest, source, fulfillment, reference, created_at, updated_at)
      select i, iif(i % 10 = 5, 'other', '${OWNER.userId}'), 1, 'Default', 'https://instagram.com/p/' || i, 100, 900,
        iif(i % ${RARE} = 1, 'Canceled', 'Completed'), 0, 'list-' || i, '', 'api', 'manual',
        iif(i % ${RARE} = 2, 'campaign', null), i, i from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total})
      insert into users (id, email, created_at) select 'c' || i, 'person' || i || '@mail.example', i from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total})
      insert into profiles (user_id, email, full_name) select 'c' || i, 'person' || i || '@mail.example',
        'Person ' || i % 5000 from n;
    insert into services (id, network, category, name, type, rate, min, max)
      select 1, 'Instagram', 'Likes', 'Likes', 'Default', 9000, 1, 1000 where not exists (select 1 from services where id = 1);
    commit;
    pragma wal_checkpoint(truncate);`);
  file.close();
}
