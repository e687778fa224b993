import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CorePaths, convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { LogFile } from "./log-file.ts";
import { applyMigrations, isMigrated, readDatabases } from "./migrations.ts";

/** Cloudflare's cron runs once a minute, which is too slow for a demo. */
const CRON_EVERY_MS = 1000;
const CRON_TIMEOUT_MS = 60_000;
const CRON_TRIGGER = `http://localhost${CorePaths.SCHEDULED}?cron=${encodeURIComponent("* * * * *")}`;

const WORKER_NAME = "growline";

export type LocalWorker = {
  database(binding?: "DB" | "DB_SUPPORT"): Promise<D1Database>;
  /** Evicts that support room from memory, as the platform does. Its sockets hibernate. */
  evictRoom(sessionId: string): Promise<void>;
  /** Evicts the support desk, to which all open consoles are connected. */
  evictDesk(): Promise<void>;
  /** Serves the current build in `buildDir`, with `bindings` beside and over those of the start. */
  reload(bindings?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
};

/** Migrates the databases below `stateDir` and runs the built worker on them, in workerd directly through Miniflare. */
export async function startLocalWorker(options: {
  root: string;
  stateDir: string;
  buildDir: string;
  host: string;
  port: number;
  bindings: Record<string, string>;
  cronEveryMs?: number;
}): Promise<LocalWorker> {
  const { cronEveryMs = CRON_EVERY_MS } = options;
  const log = new LogFile(join(options.stateDir, "logs", "worker.log"));

  const miniflareOptions = (bindings: Record<string, string> = {}) => {
    const { workerOptions } = unstable_getMiniflareWorkerOptions(join(options.root, "wrangler.toml"), undefined, {
      overrides: { assets: { directory: join(options.buildDir, "client") } },
    });
    return convertV4MiniflareOptions({
      host: options.host,
      port: options.port,
      resourcePersistencePath: join(options.stateDir, "v3"),
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      unsafeTriggerHandlers: true,
      handleStructuredLogs({ message }) {
        log.append(message);
      },
      workers: [
        {
          ...workerOptions,
          name: WORKER_NAME,
          bindings: { ...(workerOptions.bindings as Record<string, string>), ...options.bindings, ...bindings },
          modules: [
            {
              type: "ESModule",
              path: "app.js",
              contents: readFileSync(join(options.buildDir, "worker", "app.js"), "utf8"),
            },
          ],
        },
      ],
    });
  };

  await migrate(options);
  const miniflare = new Miniflare(miniflareOptions());
  await miniflare.ready;
  const database = (binding: string) => miniflare.getD1Database(binding) as unknown as Promise<D1Database>;
  // The jobs of a copy that was off are not late.
  await (await database("DB")).exec("DELETE FROM job_runs");

  let closing = false;
  const closed = Promise.withResolvers<void>();
  const cron = (async () => {
    while (!closing) {
      await Promise.race([new Promise((resolve) => setTimeout(resolve, cronEveryMs)), closed.promise]);
      if (closing) return;
      try {
        // Not getWorker(): its proxy waits for workerd synchronously, and forever if workerd is killed meanwhile.
        const response = await miniflare.dispatchFetch(CRON_TRIGGER, { signal: AbortSignal.timeout(CRON_TIMEOUT_MS) });
        if (!response.ok) log.append(`cron: HTTP ${response.status} ${await response.text()}`);
        else await response.text();
      } catch (error) {
        // workerd is restarting. The next tick reaches it again.
        log.append(`cron: ${error}`);
      }
    }
  })();

  /** Evicts an object as the platform does: once no call to it is in progress, which takes longer under load. */
  async function evict(className: string, name: string, attempts = 5): Promise<void> {
    try {
      await miniflare.unsafeEvictDurableObject(WORKER_NAME, className, { name, webSockets: "hibernate" });
    } catch (error) {
      if (attempts === 1 || !String(error).includes("still has active references")) throw error;
      await evict(className, name, attempts - 1);
    }
  }

  return {
    database: (binding = "DB") => database(binding),
    evictRoom: (name) => evict("SupportRoom", name),
    evictDesk: () => evict("SupportDesk", DESK_NAME),
    reload: (bindings) => miniflare.setOptions(miniflareOptions(bindings)),
    async close() {
      closing = true;
      closed.resolve();
      await cron;
      await miniflare.dispose();
    },
  };
}

/**
 * Migrates the databases before anything of the product runs: a request, or an alarm that an object had set before, would
 * look for tables that aren't there yet.
 */
export async function migrate({ root, stateDir }: { root: string; stateDir: string }): Promise<void> {
  const databases = readDatabases(root);
  const folder = join(stateDir, "v3", "d1");
  const files = globSync("**/*.sqlite", { cwd: folder, exclude: ["**/metadata.sqlite"] }).map((file) =>
    join(folder, file),
  );
  // Most starts have nothing to migrate, and a workerd for it takes a third of the processor time of a start. The file of a
  // database that had another id doesn't say that this one is migrated.
  const isDone = databases.every(({ migrations }) => files.some((file) => isMigrated(file, migrations)));
  if (isDone && files.length === databases.length) return;
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
  const d1Databases = workerOptions.d1Databases as Record<string, { id: string }>;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(stateDir, "v3"),
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      workers: [{ name: "migrations", modules: true, script: "export default {}", d1Databases }],
    }),
  );
  try {
    for (const { binding, migrations } of databases) {
      await applyMigrations((await miniflare.getD1Database(binding)) as unknown as D1Database, migrations);
    }
  } finally {
    await miniflare.dispose();
  }
}
