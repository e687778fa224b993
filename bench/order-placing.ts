import { Agent, request } from "node:http";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { services } from "#app/db/schema.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { BENCH_ACCOUNT, BENCH_SECRETS, startBenchWorker } from "./bench-worker.ts";
import { type Figure, median, reportFigures } from "./figures.ts";

/**
 * `npm run bench -- orders`: compares the order API's throughput with baselines in the same workerd.
 * `--many` also fills the table with 1,000,000 orders, and compares it with the small table.
 */

const CONNECTIONS = 32;
const SECONDS = 2;
const ROUNDS = 7;
const CATALOG = 2000;
const MANY_ORDERS = 1_000_000;

const worker = await startBenchWorker({
  entry: "bench/order-placing-worker.ts",
  bindings: { API_REQUESTS_PER_MINUTE: "100000000" },
});
const { url } = worker;

try {
  const database = await worker.database();
  const db = connect(database);
  await database.exec("create table bench_rows (id integer primary key, value text not null) strict");
  const created = await createAccount(db, BENCH_ACCOUNT);
  if (!created.ok) throw new Error(created.reason);
  await credit(db, created.userId, { kind: "topup", amount: 1e15, note: "bench" });
  const apiKey = await createApiKey(db, BENCH_SECRETS, created.userId, {
    name: "bench",
    scopes: ["read", "order"],
    sessionId: null,
  });
  if (!apiKey.ok) throw new Error(apiKey.reason);
  const { key } = apiKey;
  for (let at = 0; at < CATALOG; at += 5) {
    const rows = Array.from({ length: Math.min(5, CATALOG - at) }, (_, n) => ({
      network: "Instagram",
      category: `Instagram ${(at + n) % 40}`,
      name: `Service ${at + n}, with a name as long as names are in this field`,
      rate: 900_000,
      min: 10,
      max: 100_000,
    }));
    await db.insert(services).values(rows);
  }
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const order = JSON.stringify({ service: 1, link: "https://instagram.com/p/bench", quantity: 1000 });
  let n = 0;
  const createOrder = () =>
    send(agent, "/api/v1/create_order", { ...headers, "Idempotency-Key": `bench-${n++}` }, order);
  const insert = () => send(agent, "/bench/insert", {}, "");
  const gatedInsert = () => send(agent, "/bench/gated-insert", headers, "");
  const list = () => send(agent, "/api/services", headers);
  const { bytes: size, tag } = await list();
  const listAgain = () => send(agent, "/api/services", { ...headers, "If-None-Match": tag });
  const constant = () => send(agent, `/bench/constant?bytes=${size}`, headers);
  const gatedConstant = () => send(agent, `/bench/gated-constant?bytes=${size}`, headers);

  const orders = await compare(insert, createOrder);
  const gated = await compare(insert, gatedInsert);
  const lists = await compare(constant, list);
  const gatedLists = await compare(gatedConstant, list);
  const repeated = await compare(constant, listAgain);
  const rows = await counted();
  const figures: Figure[] = [
    { name: "create_order, to a bare INSERT", ...orders, goal: { atLeast: 0.75 } },
    { name: "INSERT behind the API key's gate", ...gated },
    { name: `/api/services of ${CATALOG}, to a constant`, ...lists, goal: { atLeast: 0.8 } },
    // What no list can do without: the caller is known, and the version is read.
    { name: "the same, to a constant behind gate and read", ...gatedLists, goal: { atLeast: 0.8 } },
    { name: "bytes of the list", value: size, unit: "" },
    { name: "/api/services, unchanged", ...repeated },
    ...rowFigures("one order", rows),
  ];
  if (process.argv.includes("--many")) {
    await fill(database, created.userId);
    const many = await compare(insert, createOrder);
    const name = `create_order beside ${MANY_ORDERS} orders, to the small table`;
    // Each relative to the INSERT beside it, because the machine's load changes from minute to minute.
    const baseline = (many.baseline * orders.value) / orders.baseline;
    figures.push({ name, value: many.value, unit: "/s", baseline, goal: { atLeast: 0.9 } });
    figures.push(...rowFigures("one order in the large table", await counted()));
  }
  reportFigures(figures);

  async function counted(): Promise<Rows> {
    const response = await fetch(`${url}/bench/counted`, {
      method: "POST",
      headers: { ...headers, "Idempotency-Key": `bench-${n++}` },
      body: order,
    });
    return response.json() as Promise<Rows>;
  }
} finally {
  await worker.close();
}

type Rows = { statements: number; read: number; written: number };
type Send = () => Promise<{ status: number }>;

/** Measures in turns, so that other load affects both sides. The baseline follows from the median of the rounds' ratios. */
async function compare(baseline: Send, measured: Send): Promise<{ value: number; unit: "/s"; baseline: number }> {
  const rates: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await throughput(baseline);
    const rate = await throughput(measured);
    rates.push(rate);
    ratios.push(rate / ((before + (await throughput(baseline))) / 2));
  }
  const value = median(rates);
  return { value, unit: "/s", baseline: value / median(ratios) };
}

function rowFigures(of: string, { statements, read, written }: Rows): Figure[] {
  return [
    { name: `statements of ${of}`, value: statements, unit: "" },
    { name: `rows read by ${of}`, value: read, unit: "" },
    { name: `rows written by ${of}`, value: written, unit: "" },
  ];
}

/** Responses per second. */
async function throughput(one: () => Promise<{ status: number }>): Promise<number> {
  const until = performance.now() + SECONDS * 1000;
  let done = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const { status } = await one();
        if (status >= 400) throw new Error(`HTTP ${status}`);
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}

function send(
  agent: Agent,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; bytes: number; tag: string }> {
  return new Promise((resolve, reject) => {
    const out = request(url + path, { agent, headers, method: body === undefined ? "GET" : "POST" }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes, tag: response.headers.etag ?? "" }));
    });
    out.on("error", reject);
    out.end(body);
  });
}

async function fill(database: D1Database, userId: string): Promise<void> {
  const PART = 50_000;
  for (let at = 0; at < MANY_ORDERS; at += PART) {
    await database
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PART})
         insert into orders (user_id, service_id, type, link, quantity, charge, remains, idempotency_key, request_digest, source, fulfillment, status, created_at, updated_at)
         select ?, 1 + i % ${CATALOG}, 'Default', 'https://instagram.com/p/' || i, 1000, 0, 0, 'fill-' || (i + ${at}), '', 'api', 'accepted', 'Completed', 1, 1 from n`,
      )
      .bind(userId)
      .run();
  }
}
