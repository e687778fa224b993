import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPlatformProxy, unstable_readConfig } from "wrangler";
import { deployedConfig } from "#tools/deploy/environment-config.ts";
import { resolveStateDir } from "#tools/run/state-files.ts";

export const root = join(import.meta.dirname, "..", "..");

/** The databases and buckets of a copy. */
export type Stores = Pick<Env, "DB" | "DB_SUPPORT" | "UPLOADS" | "BACKUPS">;

/** Opens the databases and buckets of the local copy in `stateDir`, or with `"remote"` those of the deployment. */
export function openStores(stateDir: string): Promise<Opened<Stores>> {
  return open<Stores>(stateDir, ["DB", "DB_SUPPORT", "UPLOADS", "BACKUPS"]);
}

/** Opens the bucket of backups alone: the platform refuses a binding to a database that is gone (code 10181). */
export function openBackups(stateDir: string): Promise<Opened<Pick<Env, "BACKUPS">>> {
  return open<Pick<Env, "BACKUPS">>(stateDir, ["BACKUPS"]);
}

type Opened<T> = { stores: T; close(): Promise<void> };

async function open<T extends object>(stateDir: string, names: string[]): Promise<Opened<T>> {
  const remote = stateDir === "remote";
  const config = remote ? deployedConfig(root) : unstable_readConfig({ config: join(root, "wrangler.toml") });
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  const configPath = join(folder, "wrangler.json");
  const wanted = (bindings: { binding: string }[]) =>
    bindings.filter(({ binding }) => names.includes(binding)).map((binding) => ({ ...binding, remote }));
  writeFileSync(
    configPath,
    JSON.stringify({
      name: config.name,
      compatibility_date: config.compatibility_date,
      d1_databases: wanted(config.d1_databases),
      r2_buckets: wanted(config.r2_buckets),
    }),
  );
  const proxy = await getPlatformProxy<T>({
    configPath,
    persist: remote ? false : { path: join(resolveStateDir(stateDir), "v3") },
    remoteBindings: remote,
  });
  return {
    stores: proxy.env,
    async close() {
      await proxy.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
