import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { seal } from "#app/crypto/seal.server.ts";
import { connect } from "#app/db/db.server.ts";
import { providers as providerTable, services } from "#app/db/schema.server.ts";
import { createApiKey } from "#app/orders/api/api-keys.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { openMainDatabase } from "#tests/product/copy-database.ts";
import { freePort, workerdBelow } from "#tests/product/local-copy.ts";
import { seedOrders } from "#tests/product/order-history.ts";
import { workerdMemory } from "#tests/product/workerd-memory.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { BENCH_ACCOUNT, BENCH_SECRETS, buildBench, ENCRYPTION_KEYS, startBuilt } from "../bench-worker.ts";
import { type Figure, median, percentile, reportFigures } from "../figures.ts";
import { judge } from "./engine-oracle.ts";
import {
  type EngineProvider,
  PROVIDER_KEY,
  PROVIDER_KINDS,
  type ProviderKind,
  startEngineProvider,
} from "./engine-providers.ts";
import { printTable, type Result, type Statements, seconds } from "./engine-report.ts";

/**
 * `npm run bench -- engine`: orders flow to ten providers, two of them slow, one flapping and one dead, beside many
 * finished and open orders; then the same again while workerd is killed. Prints one table, and fails if an order was sent
 * twice, lost or charged wrongly, or was held without having been cut off.
 *
 * `--orders 5000 --minutes 10 --kills 10 --finished 1000000 --open 50000`; `--kills 0` leaves out the second run, and
 * `--statements` lists the statements that read and wrote most.
 */

const { values: options } = parseArgs({
  options: {
    orders: { type: "string", default: "5000" },
    minutes: { type: "string", default: "10" },
    kills: { type: "string", default: "10" },
    finished: { type: "string", default: "1000000" },
    open: { type: "string", default: "50000" },
    statements: { type: "boolean", default: false },
  },
});
const [ORDERS, MINUTES, KILLS, FINISHED, OPEN] = [
  options.orders,
  options.minutes,
  options.kills,
  options.finished,
  options.open,
].map(Number) as [number, number, number, number, number];
const SAMPLE_EVERY_MS = 2000;
const RETRY_AFTER_MS = 100;
/** A cut-off submission is held when its lease of a minute has ended and cron has run. */
const SETTLE_MS = 3 * MINUTE_MS;
const HEALTHY: ProviderKind[] = ["healthy"];
const SLOW: ProviderKind[] = ["slow", "flapping"];

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "growline-engine-"));

type Copy = { stateDir: string; buildDir: string; port: number };
type Seeded = { apiKey: string; providerIds: number[]; serviceIds: number[]; upTo: number };
let failed = false;
try {
  const buildDir = await buildBench(folder, "bench/engine/engine-worker.ts");
  const seededDir = join(folder, "seeded");
  const started = Date.now();
  const seeded = await seedCopy({ stateDir: seededDir, buildDir, port: await freePort() });
  console.log(`${FINISHED} finished and ${OPEN} open orders seeded in ${seconds(Date.now() - started)} s`);
  const results: [string, Result][] = [];
  for (const kills of KILLS > 0 ? [0, KILLS] : [0]) {
    const stateDir = join(folder, `kills-${kills}`);
    cpSync(seededDir, stateDir, { recursive: true });
    results.push([`${kills} kills`, await runOnce({ stateDir, buildDir, port: await freePort() }, seeded, kills)]);
    rmSync(stateDir, { recursive: true });
  }
  const title = `${ORDERS} orders in ${MINUTES} minutes beside ${FINISHED} finished and ${OPEN} open ones`;
  printTable(title, results, options.statements ?? false);
  reportFigures(results.flatMap(([name, result]) => figuresOf(name, result)));
  failed = results.some(([, { verdict, ledger }]) => ledger !== null || Object.values(verdict.broken).some(Boolean));
  console.log(failed ? "FAILED" : "No order was sent twice, lost, charged wrongly or held without need.");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

function startWorker({ stateDir, buildDir, port }: Copy) {
  const bindings = { API_REQUESTS_PER_MINUTE: "100000000" };
  // Cron runs as on the platform.
  return startBuilt({ stateDir, buildDir, port, bindings, cronEveryMs: MINUTE_MS });
}

function figuresOf(run: string, { acceptedMs, rows, memory, verdict }: Result): Figure[] {
  const broken = Object.values(verdict.broken).reduce((sum, count) => sum + count, 0);
  return [
    { name: `placed to accepted, ${run}`, value: median(acceptedMs.healthy), unit: "ms" },
    { name: `placed to accepted, p95, ${run}`, value: percentile(acceptedMs.healthy, 0.95), unit: "ms" },
    { name: `rows read a minute, ${run}`, value: rows.read, unit: "" },
    { name: `rows written a minute, ${run}`, value: rows.written, unit: "" },
    { name: `memory of workerd, ${run}`, value: memory / 1024, unit: "KB" },
    { name: `broken rules, ${run}`, value: broken, unit: "", goal: { atMost: 0 } },
  ];
}

/** Creates the database with a customer, a service per provider, and all orders that exist before a run. */
async function seedCopy(copy: Copy): Promise<Seeded> {
  const worker = await startWorker(copy);
  const db = connect(await worker.database());
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
  const providerIds: number[] = [];
  const serviceIds: number[] = [];
  for (const [n, kind] of PROVIDER_KINDS.entries()) {
    const name = `${kind} ${n}`;
    const encryptedKey = await seal(ENCRYPTION_KEYS, providerKeyContext(name), PROVIDER_KEY);
    const provider = { name, apiUrl: "", encryptedKey, createdAt: Date.now() };
    const [{ id: providerId } = { id: 0 }] = await db.insert(providerTable).values(provider).returning();
    const terms = { network: "Instagram", category: "Bench", name, rate: 900_000, min: 10, max: 100_000 };
    const [{ id: serviceId } = { id: 0 }] = await db
      .insert(services)
      .values({ ...terms, providerId, providerServiceId: "1" })
      .returning();
    providerIds.push(providerId);
    serviceIds.push(serviceId);
  }
  await worker.close();
  const database = openMainDatabase(copy.stateDir);
  const upTo = seedOrders(database, { finished: FINISHED, open: OPEN, providerIds, serviceIds });
  database.close();
  return { apiKey: key, providerIds, serviceIds, upTo };
}

async function runOnce(copy: Copy, seeded: Seeded, kills: number): Promise<Result> {
  const existing = Math.floor(OPEN / PROVIDER_KINDS.length);
  const providers: EngineProvider[] = [];
  for (const kind of PROVIDER_KINDS) providers.push(await startEngineProvider(kind, folder, existing));
  withDatabase(copy, (database) => {
    for (const [n, { url }] of providers.entries()) {
      database.prepare("update providers set api_url = ? where id = ?").run(url, seeded.providerIds[n] ?? 0);
    }
  });
  const worker = await startWorker(copy);
  const url = `http://127.0.0.1:${copy.port}`;
  const sampler = startSampler(url, providers, existing);
  const { acknowledged, retries } = await placeAll(url, seeded, kills);
  await settle(url, seeded, providers);
  const sampled = await sampler.stop();
  await worker.close();
  for (const provider of providers) await provider.close();
  const ledger = checkLedgerOf(copy.stateDir);
  return withDatabase(copy, (database) => ({
    ...sampled,
    retries,
    ledger,
    acceptedMs: {
      healthy: acceptedMs(database, seeded, providers, HEALTHY),
      slow: acceptedMs(database, seeded, providers, SLOW),
    },
    waiting: { dead: queuedAt(database, seeded, ["dead"]), others: queuedAt(database, seeded, [...HEALTHY, ...SLOW]) },
    verdict: judge(database, {
      providers,
      providerIds: seeded.providerIds,
      seededUpTo: seeded.upTo,
      acknowledged,
      kills,
    }),
  }));
}

function withDatabase<T>(copy: Copy, work: (database: DatabaseSync) => T): T {
  const database = openMainDatabase(copy.stateDir);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Places all orders evenly over the time, in turn at each provider, and kills workerd in between. */
async function placeAll(url: string, { apiKey, serviceIds }: Seeded, kills: number) {
  const acknowledged = new Map<string, number>();
  const started = Date.now();
  let retries = 0;
  const place = async (key: string, service: number | undefined, link: string) => {
    for (;;) {
      try {
        const response = await fetch(`${url}/api/v1/create_order`, {
          method: "POST",
          headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", "Idempotency-Key": key },
          body: JSON.stringify({ service, link, quantity: 1000 }),
          signal: AbortSignal.timeout(15_000),
        });
        if (response.status === 201) {
          acknowledged.set(key, ((await response.json()) as { id: number }).id);
          return;
        }
        if (response.status < 500) throw new RangeError(`${response.status} ${await response.text()}`);
      } catch (error) {
        if (error instanceof RangeError) throw error;
      }
      retries++;
      await wait(RETRY_AFTER_MS);
    }
  };
  const killing = Array.from({ length: kills }, async (_, n) => {
    await wait(((n + 1) * MINUTES * MINUTE_MS) / (kills + 1));
    for (const pid of workerdBelow(process.pid)) process.kill(pid, "SIGKILL");
  });
  const placing = Array.from({ length: ORDERS }, async (_, n) => {
    await wait(started + (n * MINUTES * MINUTE_MS) / ORDERS - Date.now());
    // Every other order stays open at the provider.
    const link = sandboxLink(Math.floor(n / serviceIds.length) % 2 === 0 ? "still" : null, `engine-${n}`);
    await place(`engine-${n}`, serviceIds[n % serviceIds.length], link);
  });
  await Promise.all([...placing, ...killing]);
  return { acknowledged, retries };
}

/** Waits until nothing is in flight, and nothing queued but at the dead provider. */
async function settle(url: string, { providerIds, upTo }: Seeded, providers: EngineProvider[]): Promise<void> {
  const dead = providerIds.filter((_, n) => providers[n]?.kind === "dead");
  const until = Date.now() + SETTLE_MS;
  while (Date.now() < until) {
    await wait(SAMPLE_EVERY_MS);
    const states = await getJson<{ provider_id: number; fulfillment: string }[]>(`${url}/bench/states?after=${upTo}`);
    const isOpen = states?.some(
      ({ provider_id, fulfillment }) =>
        fulfillment === "submitting" || (fulfillment === "queued" && !dead.includes(provider_id)),
    );
    if (states && !isOpen) return;
  }
}

/** Samples the rows, the memory, and how long ago the healthy providers were asked for each open order. */
function startSampler(url: string, providers: EngineProvider[], existing: number) {
  const oldestMs = { recent: 0, older: 0 };
  const totals: Statements = new Map();
  let before: Statements = new Map();
  let memory = 0;
  let stopped = false;
  const started = Date.now();
  const sampleRows = async () => {
    const now = new Map(await getJson<[string, { rowsRead: number; rowsWritten: number }][]>(`${url}/bench/rows`));
    if (now.size === 0) return;
    // The counters start at 0 after a kill.
    const isRestarted = [...before].some(([query, { rowsRead }]) => (now.get(query)?.rowsRead ?? 0) < rowsRead);
    for (const [query, counts] of now) {
      const last = (isRestarted ? null : before.get(query)) ?? { rowsRead: 0, rowsWritten: 0 };
      const total = totals.get(query) ?? { rowsRead: 0, rowsWritten: 0 };
      totals.set(query, {
        rowsRead: total.rowsRead + counts.rowsRead - last.rowsRead,
        rowsWritten: total.rowsWritten + counts.rowsWritten - last.rowsWritten,
      });
    }
    before = now;
  };
  const sampling = (async () => {
    while (!stopped) {
      await wait(SAMPLE_EVERY_MS);
      memory = Math.max(memory, workerdMemory());
      for (const { kind, askedAt } of providers)
        if (kind === "healthy") sampleAges(oldestMs, askedAt, existing, started);
      await sampleRows();
    }
  })();
  return {
    async stop() {
      stopped = true;
      await sampling;
      const minutes = (Date.now() - started) / MINUTE_MS;
      const sum = (of: "rowsRead" | "rowsWritten") => [...totals.values()].reduce((all, counts) => all + counts[of], 0);
      const rows = { read: sum("rowsRead") / minutes, written: sum("rowsWritten") / minutes };
      return { oldestMs, rows, statements: totals, memory };
    },
  };
}

/** The orders that existed before are open during the whole run; the last hundredth of them is recent. */
function sampleAges(
  oldestMs: Result["oldestMs"],
  askedAt: Map<string, number>,
  existing: number,
  started: number,
): void {
  for (let id = 1; id <= existing; id++) {
    const age = Date.now() - (askedAt.get(String(id)) ?? started);
    const group = id > (existing * 99) / 100 ? "recent" : "older";
    oldestMs[group] = Math.max(oldestMs[group], age);
  }
}

function queuedAt(database: DatabaseSync, seeded: Seeded, kinds: ProviderKind[]): number {
  const rows = database
    .prepare(
      `select 1 from orders where id > ? and fulfillment = 'queued' and provider_id in (select value from json_each(?))`,
    )
    .all(seeded.upTo, JSON.stringify(idsOf(seeded, kinds)));
  return rows.length;
}

function idsOf({ providerIds }: Seeded, kinds: ProviderKind[]): number[] {
  return providerIds.filter((_, n) => kinds.includes(PROVIDER_KINDS[n] ?? "dead"));
}

/** Returns the times from placed until the provider took the order, in ms. */
function acceptedMs(
  database: DatabaseSync,
  seeded: Seeded,
  providers: EngineProvider[],
  kinds: ProviderKind[],
): number[] {
  const takenAt = new Map(
    providers.flatMap((provider) => [...provider.received().values()].map(({ link, at }) => [link, at] as const)),
  );
  const rows = database
    .prepare(
      `select link, created_at as placedAt from orders where id > ? and fulfillment = 'accepted'
       and provider_id in (select value from json_each(?))`,
    )
    .all(seeded.upTo, JSON.stringify(idsOf(seeded, kinds))) as { link: string; placedAt: number }[];
  return rows.map(({ link, placedAt }) => (takenAt.get(link) ?? Number.NaN) - placedAt).sort((a, b) => a - b);
}

/** Returns what is wrong with the ledger, or null. */
function checkLedgerOf(stateDir: string): string | null {
  try {
    execFileSync(process.execPath, ["tools/data/run-ledger-check.ts"], {
      cwd: root,
      env: { ...process.env, STATE_DIR: stateDir },
      encoding: "utf8",
    });
    return null;
  } catch (error) {
    return String((error as { stdout?: string }).stdout || error);
  }
}

async function getJson<T>(from: string): Promise<T | null> {
  try {
    return (await (await fetch(from, { signal: AbortSignal.timeout(15_000) })).json()) as T;
  } catch {
    // workerd was killed.
    return null;
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
