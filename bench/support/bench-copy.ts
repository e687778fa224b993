import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { build, type Plugin } from "vite";
import { processorTime } from "#tests/product/processor-time.ts";
import { workerdMemory } from "#tests/product/workerd-memory.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";

const root = join(import.meta.dirname, "../..");

export type BenchCopy = {
  /** Base URL of the sockets: ws://… */
  url: string;
  /** Returns how many statements the rooms have sent to D1. */
  statements(): Promise<number>;
  /** Resolves once D1 has this many messages of the rooms whose name starts with the prefix. */
  stored(prefix: string, messages: number): Promise<void>;
  /** Resident memory of workerd, in bytes. */
  memory(): number;
  /** Processor time that workerd has used, in ms. */
  processor(): number;
  close(): Promise<void>;
};

/** Starts the bench's worker and a database in Miniflare, with all state below `folder`. */
export async function startBenchCopy(folder: string): Promise<BenchCopy> {
  const stateDir = mkdtempSync(join(folder, "growline-bench-"));
  // workerd does not create these folders.
  for (const name of ["cache", "d1", "do", "r2"]) mkdirSync(join(stateDir, name));
  const room = (className: string) => ({ className, useSQLite: true });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: stateDir,
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      workers: [
        {
          name: "bench",
          compatibilityDate: "2026-11-01",
          compatibilityFlags: ["nodejs_compat"],
          modules: [{ type: "ESModule", path: "worker.js", contents: await bundle() }],
          d1Databases: { DB: "bench", DB_SUPPORT: "bench-support" },
          r2Buckets: { UPLOADS: "bench" },
          durableObjects: {
            SUPPORT_ROOM: room("CountedRoom"),
            SUPPORT_DESK: room("SupportDesk"),
            BARE: room("BareRoom"),
            PARTY: room("PartyRoom"),
          },
        },
      ],
    }),
  );
  const ready = await miniflare.ready;
  const databaseOf = (binding: string) => miniflare.getD1Database(binding) as unknown as Promise<D1Database>;
  for (const { binding, migrations } of readDatabases(root)) {
    await applyMigrations(await databaseOf(binding), migrations);
  }
  const database = await databaseOf("DB_SUPPORT");
  return {
    url: `ws://${ready.host}`,
    async statements() {
      return Number(await (await fetch(`http://${ready.host}/statements`)).text());
    },
    async stored(prefix, messages) {
      const count = database
        .prepare("SELECT count(*) AS count FROM support_messages WHERE session_id GLOB ?")
        .bind(`${prefix}*`);
      while (((await count.first<number>("count")) ?? 0) < messages) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    memory: workerdMemory,
    processor: processorTime,
    async close() {
      await miniflare.dispose();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [withoutRateLimit()],
    ssr: { target: "webworker", noExternal: true, resolve: { conditions: ["workerd", "worker"] } },
    build: {
      write: false,
      ssr: join(root, "bench/support/support-rooms-worker.ts"),
      target: "es2022",
      rollupOptions: { external: [/^cloudflare:/, /^node:/] },
    },
  });
  const chunks = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const [entry] = chunks.flatMap((one) => (one.type === "chunk" && one.isEntry ? [one.code] : []));
  if (entry === undefined) throw new Error("the bench's worker was not built");
  return entry;
}

/** Raises the rate limit out of reach. The work of checking it remains. */
function withoutRateLimit(): Plugin {
  let isRaised = false;
  return {
    name: "without-rate-limit",
    transform(code, id) {
      if (!id.endsWith("/support/room/room-rate-limit.ts") || !code.includes("BURST = 60")) return;
      isRaised = true;
      return { code: code.replace("BURST = 60", "BURST = 1e12"), map: null };
    },
    buildEnd(error) {
      if (!error && !isRaised) this.error("found no burst limit to raise");
    },
  };
}
