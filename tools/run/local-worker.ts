import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CorePaths, convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { applyMigrations, readDatabases } from "./migrations.ts";

/** Cloudflare's cron runs each minute; a person in front of a demo should not have to wait for it. */
const CRON_EVERY_MS = 1000;
const CRON_TIMEOUT_MS = 60_000;
const CRON_TRIGGER = `http://localhost${CorePaths.SCHEDULED}?cron=${encodeURIComponent("* * * * *")}`;

const WORKER_NAME = "growline";

export type LocalWorker = {
  database(binding?: "DB" | "DB_SUPPORT"): Promise<D1Database>;
  /** Puts that support room out of memory, as the platform does; its sockets hibernate. */
  evictRoom(sessionId: string): Promise<void>;
  /** The same with the desk, which all open consoles listen to. */
  evictDesk(): Promise<void>;
  /** Serves the build that is in `buildDir` now. */
  reload(): Promise<void>;
  close(): Promise<void>;
};

/** Migrates the databases below `stateDir` and runs the built worker on them, on workerd straight from Miniflare. */
export async function startLocalWorker(options: {
  root: string;
  stateDir: string;
  buildDir: string;
  host: string;
  port: number;
  bindings: Record<string, string>;
}): Promise<LocalWorker> {
  const logFile = join(options.stateDir, "logs", "worker.log");

  const miniflareOptions = () => {
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
        appendFileSync(logFile, `${message}\n`);
      },
      workers: [
        {
          ...workerOptions,
          name: WORKER_NAME,
          bindings: { ...(workerOptions.bindings as Record<string, string>), ...options.bindings },
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

  const miniflare = new Miniflare(miniflareOptions());
  await miniflare.ready;
  const database = (binding: string) => miniflare.getD1Database(binding) as unknown as Promise<D1Database>;
  try {
    for (const { binding, migrations } of readDatabases(options.root)) {
      await applyMigrations(await database(binding), migrations);
    }
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }

  let closing = false;
  const cron = (async () => {
    while (!closing) {
      await new Promise((resolve) => setTimeout(resolve, CRON_EVERY_MS));
      if (closing) return;
      try {
        // Not by getWorker(): its proxy waits for workerd synchronously, and for ever when that is killed meanwhile.
        const answer = await miniflare.dispatchFetch(CRON_TRIGGER, { signal: AbortSignal.timeout(CRON_TIMEOUT_MS) });
        if (!answer.ok) appendFileSync(logFile, `cron: HTTP ${answer.status} ${await answer.text()}\n`);
        else await answer.text();
      } catch (error) {
        // workerd is being restarted; the next tick finds it again.
        appendFileSync(logFile, `cron: ${error}\n`);
      }
    }
  })();

  return {
    database: (binding = "DB") => database(binding),
    evictRoom: (name) =>
      miniflare.unsafeEvictDurableObject(WORKER_NAME, "SupportRoom", { name, webSockets: "hibernate" }),
    evictDesk: () =>
      miniflare.unsafeEvictDurableObject(WORKER_NAME, "SupportDesk", { name: DESK_NAME, webSockets: "hibernate" }),
    reload: () => miniflare.setOptions(miniflareOptions()),
    async close() {
      closing = true;
      await cron;
      await miniflare.dispose();
    },
  };
}
