import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getPlatformProxy, unstable_readConfig } from "wrangler";

const root = join(import.meta.dirname, "..", "..");
const MAX_TRIES = 20;
const RETRY_MS = 250;

/**
 * Opens a database of the local copy whose state is in `stateDir`, or of the deployment. Writes its own configuration,
 * because with the project's, wrangler would also look for the Durable Objects.
 */
export async function openDatabase(options: {
  remote: boolean;
  stateDir: string;
  name?: "DB" | "DB_SUPPORT";
}): Promise<{ binding: D1Database; close(): Promise<void> }> {
  const config = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const { name = "DB" } = options;
  const found = config.d1_databases.find(({ binding }: { binding: string }) => binding === name);
  if (!found) throw new Error(`wrangler.toml has no database ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  const configPath = join(folder, "wrangler.json");
  const d1_databases = [{ ...found, remote: options.remote }];
  writeFileSync(
    configPath,
    JSON.stringify({ name: config.name, compatibility_date: config.compatibility_date, d1_databases }),
  );
  const proxy = await getPlatformProxy<Record<typeof name, D1Database>>({
    configPath,
    persist: { path: join(resolve(root, options.stateDir), "v3") },
    remoteBindings: options.remote,
  });
  return {
    binding: proxy.env[name],
    async close() {
      await proxy.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs `work`, and retries while a running copy locks the database file. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || attempt === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Drizzle and D1 each wrap SQLite's error. Of a lock met at the end of a call, D1 names only what it failed to get. */
const BUSY = /SQLITE_BUSY|Failed to get session commit token/;

function isBusy(error: unknown): boolean {
  for (let cause = error; cause; cause = cause instanceof Error ? cause.cause : null) {
    if (BUSY.test(String(cause))) return true;
  }
  return false;
}
