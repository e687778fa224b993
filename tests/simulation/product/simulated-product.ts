import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { workerdBelow } from "#tests/product/local-copy.ts";
import { DATABASE_MODULE, DATABASE_OBJECTS, RPC_FLAG } from "#tests/product/simulated-database-worker.ts";
import { build, run } from "#tools/run/build.ts";
import { BREAKPOINT, readDatabases } from "#tools/run/migrations.ts";
import type { DatabaseFaults, StatementCost, StatementCosts } from "./faulty-database.ts";

/** A line that the product logged. `at` is simulated ms. */
export type LogLine = { level: string; message: string; text: string; at: number };
export type ProductState = { now: number; active: number; due: number; next: number | null };

/** A running product whose clock the world moves. Times are simulated ms since 1970. */
export type SimulatedProduct = {
  url: string;
  now(): number;
  /** Moves the clock forward and rings the alarms that are due. */
  advance(ms: number): Promise<ProductState>;
  state(): Promise<ProductState>;
  /** Moves the clock as `advance` does, runs these cron triggers, and waits until nothing is under way. */
  step(ms: number, crons: string[]): Promise<ProductState>;
  /** Waits until nothing is under way, or for 20 real seconds. */
  untilIdle(): Promise<ProductState>;
  /** Lets the databases stand still for so many simulated ms: before they carry out what is called, or before they answer. */
  stallDatabases(stall: { point: "calls" | "answers"; ms: number }): Promise<void>;
  setDatabaseFaults(faults: Partial<DatabaseFaults>): Promise<void>;
  query<T>(sql: string, ...values: unknown[]): Promise<T[]>;
  querySupport<T>(sql: string, ...values: unknown[]): Promise<T[]>;
  /** Returns the keys of stored files in which a word stands. */
  filesWith(word: string): Promise<string[]>;
  /** Kills workerd with SIGKILL and waits until a new one responds. `rooms` are the chat rooms whose alarms it must know. */
  kill(rooms: string[]): Promise<void>;
  /** Stops the product, does the work on its state directory, and starts it again. For a product without chat rooms. */
  stopWhile(work: (stateDir: string) => void): Promise<void>;
  /** Returns what each statement has cost since the product was started or killed. */
  costs(): Promise<StatementCosts>;
  evict(className: string, name: string): Promise<void>;
  logged: LogLine[];
  close(): Promise<void>;
};

const WORKER_NAME = "growline";
const POLL_MS = 10;
const START_TIMEOUT_MS = 30_000;

/** Builds the product in `tree`, which may be another commit's worktree, with the simulation around it. */
export async function buildSimulated(tree: string): Promise<string> {
  const folder = join(tree, "build", "simulation");
  await build(tree);
  mkdirSync(folder, { recursive: true });
  const { durable_objects } = unstable_readConfig({ config: join(tree, "wrangler.toml") });
  const bindings = durable_objects.bindings as { name: string; class_name: string }[];
  const from = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const lines = [
    `import ${from("simulated-time.ts")};`,
    `import ${from("simulated-network.ts")};`,
    `import { simulateHandler, simulateObject } from ${from("simulated-worker.ts")};`,
    `export { SimulatedDatabase } from ${JSON.stringify(DATABASE_MODULE)};`,
    'import * as product from "#workers/app.ts";',
    "export default simulateHandler(product.default);",
    ...bindings.map(
      ({ name, class_name }) =>
        `export const ${class_name} = simulateObject(${JSON.stringify(name)}, product.${class_name});`,
    ),
  ];
  writeFileSync(join(folder, "entry.ts"), `${lines.join("\n")}\n`);
  await run(tree, "wrangler", ["deploy", "build/simulation/entry.ts", "--dry-run", "--outdir", "build/simulation/out"]);
  return folder;
}

export async function startSimulated(options: {
  tree: string;
  stateDir: string;
  port: number;
  bindings: Record<string, string>;
}): Promise<SimulatedProduct> {
  const { tree, stateDir, port } = options;
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(stateDir, { recursive: true });
  const logFile = join(stateDir, "worker.log");
  const logged: LogLine[] = [];
  let offset = 0;
  const now = () => Date.now() + offset;
  const clock = createServer((_, response) => response.end(String(offset)));
  await new Promise<void>((resolve) => clock.listen(0, "127.0.0.1", resolve));

  // Nobody here loads scripts or styles, and with them each request passes three more workers.
  const { assets: _, ...workerOptions } = unstable_getMiniflareWorkerOptions(join(tree, "wrangler.toml")).workerOptions;
  const worker = {
    ...workerOptions,
    compatibilityFlags: [...(workerOptions.compatibilityFlags as string[]), RPC_FLAG],
    durableObjects: {
      ...(workerOptions.durableObjects as object),
      ...DATABASE_OBJECTS,
    },
    name: WORKER_NAME,
    bindings: {
      ...(workerOptions.bindings as Record<string, string>),
      ...options.bindings,
      PUBLIC_ORIGIN: url,
      SIMULATION_CLOCK: `http://127.0.0.1:${(clock.address() as AddressInfo).port}`,
    },
    modules: [
      { type: "ESModule" as const, path: "app.js", contents: withCheapHashes(readFileSync(bundleOf(tree), "utf8")) },
    ],
  };
  const launch = () =>
    new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port,
        resourcePersistencePath: join(stateDir, "v3"),
        telemetry: { enabled: false },
        log: new Log(LogLevel.ERROR),
        logRequests: false,
        handleStructuredLogs({ message, level }) {
          appendFileSync(logFile, `${message}\n`);
          logged.push(readLine(message, level, now()));
        },
        workers: [worker],
      }),
    );
  let miniflare = launch();
  await miniflare.ready;

  // The product may be killed at any time, and starts again.
  const control = async <T>(path: string, body: unknown): Promise<T> => {
    const until = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        const response = await fetch(`${url}/simulation/${path}`, {
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as T;
        throw new Error(`/simulation/${path}: ${response.status} ${text}`);
      } catch (error) {
        if (Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    }
  };
  const setClock = () => control<ProductState>("clock", String(offset));
  const query = <T>(binding: string, sql: string, values: unknown[]) => control<T[]>("query", { binding, sql, values });
  await setClock();
  for (const { binding, migrations } of readDatabases(tree)) {
    for (const { sql } of migrations) await control("batch", { binding, statements: sql.split(BREAKPOINT) });
  }

  return {
    url,
    now,
    logged,
    advance(ms) {
      offset += ms;
      return setClock();
    },
    state: () => control("state", ""),
    step(ms, crons) {
      offset += ms;
      return control("step", { offset, crons });
    },
    untilIdle: () => control("idle", ""),
    async setDatabaseFaults(faults) {
      await control("database-faults", faults);
    },
    async stallDatabases(stall) {
      await control("stall", stall);
    },
    query: (sql, ...values) => query("DB", sql, values),
    querySupport: (sql, ...values) => query(hasSupportDatabase(tree) ? "DB_SUPPORT" : "DB", sql, values),
    filesWith: (word) => control("files", word),
    async kill(rooms) {
      for (const pid of workerdBelow(process.pid)) process.kill(pid, "SIGKILL");
      await setClock();
      const objects = rooms.map((name) => ({ namespace: "SUPPORT_ROOM", name }));
      await control("objects", objects);
    },
    async stopWhile(work) {
      await miniflare.dispose();
      work(stateDir);
      miniflare = launch();
      await miniflare.ready;
      await setClock();
    },
    costs: async () => new Map(await control<[string, StatementCost][]>("costs", "")),
    async evict(className, name) {
      await miniflare.unsafeEvictDurableObject(WORKER_NAME, className, { name, webSockets: "hibernate" });
    },
    async close() {
      clock.close();
      clock.closeAllConnections();
      await miniflare.dispose();
    },
  };
}

function bundleOf(tree: string): string {
  const out = join(tree, "build", "simulation", "out");
  const name = readdirSync(out).find((file) => file.endsWith(".js"));
  if (!name) throw new Error(`${out} has no worker: build it first`);
  return join(out, name);
}

const HASH_COST = /N: ?2 ?\*\* ?14, ?r: ?8, ?p: ?5/;

/** Lowers the cost of password hashes, which nobody here attacks: each takes as long as ten pages. */
function withCheapHashes(bundle: string): string {
  if (!HASH_COST.test(bundle)) throw new Error("the product hashes passwords at another cost");
  return bundle.replace(HASH_COST, "N: 2 ** 4, r: 8, p: 1");
}

function hasSupportDatabase(tree: string): boolean {
  return readDatabases(tree).some(({ binding }) => binding === "DB_SUPPORT");
}

function readLine(text: string, level: string, at: number): LogLine {
  try {
    const line = JSON.parse(text) as { level?: string; message?: string };
    return { level: line.level ?? level, message: line.message ?? text, text, at };
  } catch {
    return { level, message: text, text, at };
  }
}
