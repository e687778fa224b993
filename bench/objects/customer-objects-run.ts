import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "#app/db/db.server.ts";
import { services } from "#app/db/schema.server.ts";
import { startBenchWorker } from "../bench-worker.ts";
import { type Figure, median, reportFigures } from "../figures.ts";

/**
 * `npm run bench -- objects --runs 1`: places orders in an object per customer that feeds a read model in D1, and compares
 * with today's one batch in D1, in the same workerd and in turns. Then waits until the read model has caught up and fails if it says
 * anything else than the objects. Every tenth feed loses its answer and is repeated. A local workerd runs everything on one
 * thread, so this compares the work of an order. It says nothing of objects that run side by side on the platform.
 */

const CUSTOMERS = 100;
const CONNECTIONS = 32;
const SECONDS = 3;
const ROUNDS = 5;
const BALANCE = 1e12;
const CAUGHT_UP_WITHIN_MS = 120_000;

type Totals = { orders: number; spent: number; balance: number; waiting: number };

const worker = await startBenchWorker({ entry: "bench/objects/customer-objects-worker.ts" });
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const customers = Array.from({ length: CUSTOMERS }, (_, n) => `customer-${n}`);

try {
  const database = await worker.database();
  await connect(database)
    .insert(services)
    .values({ id: 1, network: "Instagram", category: "Likes", name: "Likes", rate: 900_000, min: 10, max: 100_000 });
  await database.batch([
    database.prepare("create table bench_ids (next integer not null) strict"),
    database.prepare("insert into bench_ids values (1)"),
    database.prepare(
      "create table bench_orders (id integer primary key, customer text not null, version integer not null, status text not null, charge integer not null, created_at integer not null) strict",
    ),
    database.prepare("create index bench_orders_by_customer on bench_orders (customer, id)"),
    database.prepare(
      "create table bench_wallets (customer text primary key, version integer not null, balance integer not null) strict",
    ),
    database
      .prepare("insert into users (id, email, created_at) select value, value || '@bench.example', 1 from json_each(?)")
      .bind(JSON.stringify(customers)),
    database
      .prepare("insert into wallets (user_id, balance) select value, ? from json_each(?)")
      .bind(BALANCE, JSON.stringify(customers)),
  ]);
  for (const customer of customers) await send("GET", `/bench/open?customer=${customer}&balance=${BALANCE}`);

  const compared = await compare("/bench/place-in-d1?", "/bench/place-in-object?feed-after=250");
  await caughtUp();
  const unfed = await compare("/bench/place-in-d1?", "/bench/place-in-object?feed-after=60000");
  const stopped = performance.now();
  const totals = await caughtUp();
  const lag = performance.now() - stopped;
  const read = await database
    .prepare("select count(*) as orders, coalesce(sum(charge), 0) as spent from bench_orders")
    .first<{ orders: number; spent: number }>();
  const balances = await database
    .prepare("select coalesce(sum(balance), 0) as sum, count(*) as wallets from bench_wallets")
    .first<{ sum: number; wallets: number }>();
  if (read?.orders !== totals.orders || read.spent !== totals.spent) {
    throw new Error(`the read model has ${JSON.stringify(read)}, the objects ${JSON.stringify(totals)}`);
  }
  if (balances?.sum !== totals.balance) {
    throw new Error(`the read model's wallets hold ${JSON.stringify(balances)}, the objects' ${totals.balance}`);
  }
  const fed = (await (await fetch(`${worker.url}/bench/fed`)).json()) as {
    batches: number;
    rowsWritten: number;
    calls: number;
  };
  const figures: Figure[] = [
    { name: "orders placed in objects and fed at once, to one D1 batch each", ...compared },
    { name: "orders placed in objects and fed later, to one D1 batch each", ...unfed },
    { name: "orders placed in objects", value: totals.orders, unit: "" },
    { name: "rows that an order writes in the read model", value: fed.rowsWritten / totals.orders, unit: "rows" },
    { name: "orders per batch of the read model", value: totals.orders / fed.batches, unit: "" },
    { name: "until the read model had caught up", value: lag, unit: "ms" },
  ];
  reportFigures(figures);
} finally {
  agent.destroy();
  await worker.close();
}

/** Waits until no outbox has a row, and returns the sum of all objects. */
async function caughtUp(): Promise<Totals> {
  const end = Date.now() + CAUGHT_UP_WITHIN_MS;
  for (;;) {
    const all: Totals[] = [];
    for (const customer of customers) {
      all.push((await (await fetch(`${worker.url}/bench/totals?customer=${customer}`)).json()) as Totals);
    }
    // The others have sent nothing.
    const active = all.filter(({ orders }) => orders > 0);
    const sum = (of: keyof Totals) => active.reduce((total, one) => total + one[of], 0);
    if (sum("waiting") === 0)
      return { orders: sum("orders"), spent: sum("spent"), balance: sum("balance"), waiting: 0 };
    if (Date.now() > end) throw new Error(`${sum("waiting")} rows still wait`);
    await wait(200);
  }
}

/** Measures in turns, so that other load affects both sides. */
async function compare(baseline: string, measured: string): Promise<{ value: number; unit: "/s"; baseline: number }> {
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

async function throughput(path: string): Promise<number> {
  const started = performance.now();
  const until = started + SECONDS * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        await send("POST", `${path}&customer=${customers[done++ % CUSTOMERS]}`);
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}

function send(method: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const out = request(worker.url + path, { agent, method }, (response) => {
      response.resume();
      response.on("end", () => {
        if ((response.statusCode ?? 500) < 300) resolve();
        else reject(new Error(`${path}: HTTP ${response.statusCode}`));
      });
    });
    out.on("error", reject);
    out.end();
  });
}
