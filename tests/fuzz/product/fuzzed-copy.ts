import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { build, run } from "#tools/run/build.ts";
import type { RequestChanges } from "./fuzzed-worker.ts";

export type FuzzedCopy = LocalCopy & {
  /** Returns what each case changed since the last call, by the case's name. */
  takeChanges(): Promise<Record<string, RequestChanges>>;
  query<T>(sql: string, binding?: "DB" | "DB_SUPPORT"): Promise<T[]>;
};

/** Bundles the built product with the wrapper around it. Returns the file. */
export async function buildFuzzed(root: string): Promise<string> {
  await build(root);
  const folder = join(root, "build", "fuzz");
  mkdirSync(folder, { recursive: true });
  const wrapper = JSON.stringify(join(import.meta.dirname, "fuzzed-worker.ts"));
  const lines = [
    `import { fuzzHandler, fuzzRoom } from ${wrapper};`,
    'import * as product from "#workers/app.ts";',
    'export * from "#workers/app.ts";',
    "export default fuzzHandler(product.default);",
    "export const SupportRoom = fuzzRoom(product.SupportRoom);",
  ];
  writeFileSync(join(folder, "entry.ts"), `${lines.join("\n")}\n`);
  await run(root, "wrangler", ["deploy", "build/fuzz/entry.ts", "--dry-run", "--outdir", "build/fuzz/out"]);
  const bundle = readdirSync(join(folder, "out")).find((file) => file.endsWith(".js"));
  if (!bundle) throw new Error("the bundle for the fuzz is missing");
  return join(folder, "out", bundle);
}

export async function startFuzzedCopy(bundle: string): Promise<FuzzedCopy> {
  const copy = await startLocalCopy({ WORKER_BUNDLE: bundle, API_REQUESTS_PER_MINUTE: "1000000" });
  return {
    ...copy,
    async takeChanges() {
      return (await (await fetch(`${copy.url}/fuzz/changes`)).json()) as Record<string, RequestChanges>;
    },
    async query(sql, binding = "DB") {
      const response = await fetch(`${copy.url}/fuzz/query`, {
        method: "POST",
        body: JSON.stringify({ binding, sql }),
      });
      return (await response.json()) as never[];
    },
  };
}
