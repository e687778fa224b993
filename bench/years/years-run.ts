import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { providers, services } from "#app/db/schema.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { openMainDatabase } from "#tests/product/copy-database.ts";
import { freePort } from "#tests/product/local-copy.ts";
import { EVERY_MINUTE, NIGHTLY } from "#workers/cron-triggers.ts";
import { BENCH_ACCOUNT, BENCH_SECRETS, buildBench, startBuilt } from "../bench-worker.ts";
import { type Figure, median, reportFigures, writeNumber } from "../figures.ts";
import { fillYears, RESELLER_CREDIT, SERVICES, YEARS } from "./fill-years.ts";

/**
 * `npm run bench -- years [--scale 100] --runs 1`: fills both databases year by year with what 5,000 orders and 3,000
 * messages a day leave behind, divided by the scale. After each year it runs the jobs, opens the main pages, calls the API, and
 * counts the rows that D1 read and wrote. Prints a table of it all, with the sizes multiplied by the scale again.
 */

type Rows = { read: number; written: number; most: string };
type Measured = Rows & { ms: number };
type Level = { sizes: Sizes; operations: Map<string, Measured> };
type Sizes = { main: number; support: number; tables: Map<string, { bytes: number; rows: number }> };

const TIMES = 7;
/** Rows that an operation may read more of after five years than after one: other rows than those of its page. */
const SLACK_ROWS = 30;
const AGENT = { ...BENCH_ACCOUNT, email: "agent@growline.example", role: "admin" as const };
/** By design, up to a bound: a thirtieth of the history each night, and 2,000 orders for a page of a search by text. */
const GROWS = ["night, ledger check", "/dashboard/orders?search="];

const at = process.argv.indexOf("--scale");
const scale = at < 0 ? 100 : Number(process.argv[at + 1]);
const root = join(import.meta.dirname, "..", "..");
const words = ["architecture.md", "security.md", "personal-data.md"]
  .map((name) => readFileSync(join(root, "docs", name), "utf8"))
  .join(" ");
const stateDir = mkdtempSync(join(tmpdir(), "growline-years-"));
const now = Date.now();

try {
  const buildDir = await buildBench(stateDir, "bench/years/years-worker.ts");
  const { reseller, key } = await setUp(buildDir);
  const [state, empty] = [join(stateDir, "v3"), join(stateDir, "empty")];
  cpSync(state, empty, { recursive: true });
  const levels: Level[] = [];
  for (let years = 0; years <= YEARS; years++) {
    const started = performance.now();
    rmSync(state, { recursive: true });
    cpSync(empty, state, { recursive: true });
    const [main, support] = [openMainDatabase(stateDir), openSupport()];
    fillYears(main, support, words, years, { scale, now, reseller });
    const sizes = sizesOf(main, support);
    main.close();
    support.close();
    console.log(`year ${years}: filled in ${Math.round((performance.now() - started) / 1000)} s`);
    levels.push({ sizes, operations: await measure(buildDir, { reseller, key }) });
  }
  print(levels);
  report(levels);
} finally {
  rmSync(stateDir, { recursive: true, force: true });
}
// The timers of the workers' cron, which never ran, would keep the process.
process.exit();

/** Makes the accounts and the catalog through the product. */
async function setUp(buildDir: string): Promise<{ reseller: string; key: string }> {
  const { worker } = await start(buildDir);
  try {
    const db = connect(await worker.database());
    const accounts = [await createAccount(db, BENCH_ACCOUNT), await createAccount(db, AGENT)];
    const [reseller] = accounts.map((created) => (created.ok ? created.userId : ""));
    if (!reseller) throw new Error("the account was not made");
    await db
      .insert(providers)
      .values({ name: "years", apiUrl: "https://panel.example", encryptedKey: "", createdAt: 1 });
    for (let id = 1; id <= SERVICES; id++) {
      await db.insert(services).values({
        ...{ id, network: `Network ${id % 12}`, category: `Category ${id % 40}`, rate: 900_000, min: 10, max: 100_000 },
        name: `Service ${id}, with a name as long as names are in this field`,
      });
    }
    const made = await createApiKey(db, BENCH_SECRETS, reseller, {
      name: "bench",
      scopes: ["read", "order"],
      sessionId: null,
    });
    if (!made.ok) throw new Error(made.reason);
    return { reseller, key: made.key };
  } finally {
    await worker.close();
  }
}

async function start(buildDir: string) {
  const port = await freePort();
  const bindings = { API_REQUESTS_PER_MINUTE: "100000000", STAFF_SECOND_FACTOR: "off" };
  const worker = await startBuilt({ buildDir, stateDir, port, bindings, cronEveryMs: 2 ** 31 - 1 });
  return { worker, url: `http://127.0.0.1:${port}` };
}

async function measure(buildDir: string, { reseller, key }: { reseller: string; key: string }) {
  const { worker, url } = await start(buildDir);
  const operations = new Map<string, Measured>();
  try {
    for (const [name, cron] of [
      ["night, with a day to delete", NIGHTLY],
      ["night, nothing to delete", NIGHTLY],
      ["minute", EVERY_MINUTE],
      ["minute, idle", EVERY_MINUTE],
    ] as const) {
      const response = await fetch(`${url}/bench/jobs?cron=${encodeURIComponent(cron)}`);
      if (!response.ok) throw new Error(`${name}: HTTP ${response.status} ${await response.text()}`);
      const { ms, check, others } = (await response.json()) as { ms: number; check: Rows; others: Rows };
      operations.set(name, { ...others, ms });
      if (name === "night, with a day to delete") operations.set("night, ledger check", { ...check, ms });
    }
    const database = await worker.database();
    await credit(connect(database), reseller, { kind: "topup", amount: RESELLER_CREDIT, note: "bench" });
    const faults = await database.prepare("select count(*) as count from ledger_faults").first<{ count: number }>();
    if (faults?.count !== 0) throw new Error(`the filled ledger has ${faults?.count} faults`);
    const [own, team] = [{ Cookie: await signIn(url, BENCH_ACCOUNT) }, { Cookie: await signIn(url, AGENT) }];
    const program = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ service: 1, link: "https://www.instagram.com/p/bench/", quantity: 1000 });
    const place = (): RequestInit => ({
      method: "POST",
      headers: { ...program, "Idempotency-Key": crypto.randomUUID() },
      body,
    });
    const placed = await fetch(`${url}/api/v1/create_order`, place());
    if (!placed.ok) throw new Error(`create_order: HTTP ${placed.status} ${await placed.text()}`);
    const order = ((await placed.json()) as { id: number }).id;
    const requests: Record<string, [path: string, init: () => RequestInit]> = {
      "API: create_order": ["/api/v1/create_order", place],
      "API: status of an order": [`/api/status?order=${order}`, () => ({ headers: program })],
      "API: orders, first page": ["/api/v1/orders?limit=50", () => ({ headers: program })],
      "API: balance": ["/api/balance", () => ({ headers: program })],
      "/": ["/", () => ({})],
      "/dashboard": ["/dashboard", () => ({ headers: own })],
      "/dashboard/orders": ["/dashboard/orders", () => ({ headers: own })],
      "/dashboard/orders?status=canceled": ["/dashboard/orders?status=Canceled", () => ({ headers: own })],
      "/dashboard/orders?search=": ["/dashboard/orders?search=campaign", () => ({ headers: own })],
      "/dashboard/orders/ID": [`/dashboard/orders/${order}`, () => ({ headers: own })],
      "/dashboard/transactions": ["/dashboard/transactions", () => ({ headers: own })],
      "/admin/orders": ["/admin/orders", () => ({ headers: team })],
      "/admin/orders/ID": [`/admin/orders/${order}`, () => ({ headers: team })],
      "/admin/orders/requests": ["/admin/orders/requests", () => ({ headers: team })],
      "/admin/services": ["/admin/services", () => ({ headers: team })],
      "/admin/providers/ID": ["/admin/providers/1", () => ({ headers: team })],
      "/admin/customers": ["/admin/customers?q=bench", () => ({ headers: team })],
      "/admin/customers/ID": [`/admin/customers/${reseller}`, () => ({ headers: team })],
      "/admin/payments": ["/admin/payments", () => ({ headers: team })],
      "/admin/audit": ["/admin/audit", () => ({ headers: team })],
      "/admin/emails": ["/admin/emails", () => ({ headers: team })],
      "/admin/reports": ["/admin/reports", () => ({ headers: team })],
      "inbox, open": ["/admin/inbox?view=open", () => ({ headers: team })],
      "inbox, closed": ["/admin/inbox?view=closed", () => ({ headers: team })],
      "inbox, search": ["/admin/inbox?view=closed&q=wallet", () => ({ headers: team })],
      "palette, search": ["/admin/find?q=visitor", () => ({ headers: team })],
    };
    for (const [name, [path, init]] of Object.entries(requests)) {
      operations.set(name, await measureRequest(`${url}${path}`, init));
    }
    return operations;
  } finally {
    await worker.close();
  }
}

async function measureRequest(address: string, init: () => RequestInit): Promise<Measured> {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const started = performance.now();
    const response = await fetch(address, { redirect: "manual", ...init() });
    await response.arrayBuffer();
    if (response.status >= 300) throw new Error(`${address}: HTTP ${response.status}`);
    times.push(performance.now() - started);
  }
  const { headers, ...rest } = init();
  const response = await fetch(address, { ...rest, headers: { ...headers, "bench-counted": "1" } });
  await response.arrayBuffer();
  const rows = JSON.parse(response.headers.get("bench-rows") ?? "null") as Rows | null;
  if (!rows) throw new Error(`${address}: no counts`);
  return { ...rows, ms: median(times) };
}

async function signIn(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const body = new URLSearchParams({ email, password });
  const response = await fetch(`${url}/auth/login`, {
    method: "POST",
    body,
    headers: { Origin: url },
    redirect: "manual",
  });
  const cookies = response.headers.getSetCookie().map((one) => one.split(";")[0]);
  if (cookies.length === 0) throw new Error(`not signed in: HTTP ${response.status}`);
  return cookies.join("; ");
}

function openSupport(): DatabaseSync {
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".sqlite"))) {
    const database = new DatabaseSync(join(folder, name));
    if (database.prepare("select 1 from sqlite_master where name = 'support_sessions'").get()) return database;
    database.close();
  }
  throw new Error("no database with conversations");
}

/** Bytes with indexes, per table. A full-text index is a table of its own. */
function sizesOf(main: DatabaseSync, support: DatabaseSync): Sizes {
  const tables: Sizes["tables"] = new Map();
  const total = (database: DatabaseSync) => {
    const rows = database
      .prepare(
        `select coalesce(m.tbl_name, s.name) as name, sum(s.pgsize) as bytes from dbstat s left join sqlite_master m on m.name = s.name
         group by 1 order by 2 desc`,
      )
      .all() as { name: string; bytes: number }[];
    for (const { name, bytes } of rows) {
      const isTable = !name.startsWith("sqlite_") && !name.startsWith("_");
      const counted = isTable
        ? (database.prepare(`select count(*) as count from "${name}"`).get() as { count: number }).count
        : 0;
      tables.set(name, { bytes, rows: counted });
    }
    return rows.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  return { main: total(main), support: total(support), tables };
}

function print(levels: Level[]): void {
  const years = levels.map((_, level) => `year ${level}`);
  const gigabytes = (bytes: number) => ((bytes * scale) / 1e9).toFixed(2);
  const rows = [
    [`sizes in GB (measured × ${scale})`, ...years],
    ["money database", ...levels.map(({ sizes }) => gigabytes(sizes.main))],
    ["support database", ...levels.map(({ sizes }) => gigabytes(sizes.support))],
  ];
  const last = levels.at(-1)?.sizes.tables ?? new Map();
  const largest = [...last].toSorted(([, one], [, other]) => other.bytes - one.bytes).slice(0, 22);
  for (const [name, { bytes, rows: count }] of largest) {
    const perRow = count > 0 ? `${name}, ${Math.round(bytes / count)} bytes a row` : name;
    rows.push([`  ${perRow}`, ...levels.map(({ sizes }) => gigabytes(sizes.tables.get(name)?.bytes ?? 0))]);
  }
  for (const [title, of] of [
    ["rows read", (one?: Measured) => one?.read],
    ["rows written", (one?: Measured) => one?.written],
    ["ms", (one?: Measured) => one && Math.round(one.ms)],
  ] as const) {
    rows.push([""], [title, ...years]);
    for (const name of levels[0]?.operations.keys() ?? []) {
      rows.push([name, ...levels.map(({ operations }) => String(of(operations.get(name)) ?? ""))]);
    }
  }
  const widths = Array.from({ length: YEARS + 2 }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  console.log(`\nscale 1:${scale}`);
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[column] ?? 0) + 2)))
        .join("")
        .trimEnd(),
    );
  }
}

function report(levels: Level[]): void {
  const [first, last] = [levels[1], levels.at(-1)];
  if (!first || !last) return;
  const figures: Figure[] = [
    {
      name: "GB of the money database after five years",
      value: (last.sizes.main * scale) / 1e9,
      unit: "",
      goal: { atMost: 8 },
    },
  ];
  for (const [name, { read, most }] of last.operations) {
    const before = first.operations.get(name)?.read ?? 0;
    const isFlat = read <= before * 1.2 + SLACK_ROWS;
    if (!isFlat && !GROWS.includes(name))
      console.log(`${name} reads ${writeNumber(before)} rows, then ${writeNumber(read)}: ${most}`);
    const goal = GROWS.includes(name) ? {} : { goal: { atMost: 1.2 } };
    figures.push({
      name: `rows read after five years: ${name}`,
      value: read,
      unit: "rows",
      baseline: isFlat ? Math.max(read, before, 1) : Math.max(1, before),
      ...goal,
    });
  }
  reportFigures(figures);
}
