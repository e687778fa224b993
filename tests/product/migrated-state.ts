import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const DIGEST_CHARACTERS = 16;

/**
 * Returns a state folder with both databases, empty, to be copied. The first call makes it, for all that have these
 * migrations: migrating takes a third of the processor time of a start.
 */
export async function migratedState(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of [...globSync("migrations/**/*.sql", { cwd: root }).sort(), "wrangler.toml", "package-lock.json"]) {
    hash.update(`${file}\n`).update(await readFile(join(root, file)));
  }
  const folder = join(root, "node_modules", ".cache", "migrated", hash.digest("hex").slice(0, DIGEST_CHARACTERS));
  if (existsSync(folder)) return folder;
  const { migrate } = await import("#tools/run/local-worker.ts");
  await mkdir(dirname(folder), { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  await migrate({ root, stateDir: made });
  // Another process may have been faster.
  await rename(made, folder).catch(() => rm(made, { recursive: true }));
  return folder;
}
