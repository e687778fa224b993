import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { getPlatformProxy, unstable_readConfig } from "wrangler";
import { deployedConfig } from "#tools/deploy/environment-config.ts";
import { CommandError } from "./command-line.ts";
import { requireState, resolveStateDir } from "./state-files.ts";

const root = join(import.meta.dirname, "..", "..");
const MAX_TRIES = 60;
const RETRY_MS = 500;
const ALL_PAGES = 2 ** 31 - 1;

type OpenDatabase = { binding: D1Database; close(): Promise<void> };

/**
 * Opens a database of the local copy whose state is in `stateDir`, or of the deployment. Throws if there is no copy,
 * unless it may `create` the databases. Writes its own configuration, because with the project's, wrangler would also
 * look for the Durable Objects.
 */
export async function openDatabase(options: {
  remote: boolean;
  stateDir: string;
  name?: "DB" | "DB_SUPPORT";
  create?: boolean;
}): Promise<OpenDatabase> {
  const stateDir = resolveStateDir(options.stateDir);
  if (!options.remote && !options.create) requireState(stateDir);
  const { name = "DB" } = options;
  const config = options.remote ? deployedConfig(root) : unstable_readConfig({ config: join(root, "wrangler.toml") });
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
    persist: { path: join(stateDir, "v3") },
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

/**
 * Opens a local copy's database as it is at this moment, to be read. A running copy goes on meanwhile: this neither waits
 * for its writes nor sees the half of one.
 */
export async function openSnapshot(options: { stateDir: string; name?: "DB" | "DB_SUPPORT" }): Promise<OpenDatabase> {
  const from = join(resolveStateDir(options.stateDir), "v3", "d1");
  requireState(resolveStateDir(options.stateDir));
  const stateDir = mkdtempSync(join(tmpdir(), "growline-snapshot-"));
  const remove = () => rmSync(stateDir, { recursive: true, force: true });
  try {
    for (const file of globSync("**/*.sqlite", { cwd: from })) {
      const to = join(stateDir, "v3", "d1", file);
      mkdirSync(dirname(to), { recursive: true });
      await whenFree(() => copyDatabase(join(from, file), to));
    }
    const database = await openDatabase({ ...options, remote: false, stateDir });
    return { ...database, close: () => database.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Copies a database in one step, so that nothing is written between its pages. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

/** Runs `work`, and retries for half a minute while a running copy locks the database file. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (attempt === MAX_TRIES) throw new CommandError(STILL_BUSY, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Drizzle and D1 each wrap SQLite's error. Of a lock met at the end of a call, D1 names only what it failed to get. */
const BUSY = /SQLITE_BUSY|database is locked|Failed to get session commit token/;
const STILL_BUSY =
  "The database has been locked by another process for half a minute. Try again in a quiet moment, or stop the copy first.";

function isBusy(error: unknown): boolean {
  for (let cause = error; cause; cause = cause instanceof Error ? cause.cause : null) {
    if (BUSY.test(String(cause))) return true;
  }
  return false;
}
