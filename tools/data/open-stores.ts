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
export async function openStores(stateDir: string): Promise<{ stores: Stores; close(): Promise<void> }> {
  const remote = stateDir === "remote";
  const config = remote ? deployedConfig(root) : unstable_readConfig({ config: join(root, "wrangler.toml") });
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  const configPath = join(folder, "wrangler.json");
  const all = (bindings: object[]) => bindings.map((binding) => ({ ...binding, remote }));
  writeFileSync(
    configPath,
    JSON.stringify({
      name: config.name,
      compatibility_date: config.compatibility_date,
      d1_databases: all(config.d1_databases),
      r2_buckets: all(config.r2_buckets),
    }),
  );
  const proxy = await getPlatformProxy<Stores>({
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
