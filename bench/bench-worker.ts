import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { freePort } from "#tests/product/local-copy.ts";
import { build, copyBuild, run } from "#tools/run/build.ts";
import { type LocalWorker, startLocalWorker } from "#tools/run/local-worker.ts";

const root = join(import.meta.dirname, "..");

export const ENCRYPTION_KEYS = `1:${btoa("x".repeat(32))}`;
export const BENCH_ACCOUNT = {
  email: "bench@growline.example",
  password: "three unrelated words",
  fullName: "",
  emailConfirmedAt: 1,
};

/**
 * Builds the product into `folder` and returns that folder of the build. `entry`, from the root, is a worker that wraps
 * the product.
 */
export async function buildBench(folder: string, entry?: string): Promise<string> {
  await build(root);
  const buildDir = join(folder, "build");
  copyBuild(root, buildDir);
  if (!entry) return buildDir;
  const out = join(buildDir, "worker");
  await run(root, "wrangler", ["deploy", entry, "--dry-run", "--outdir", out]);
  renameSync(join(out, `${basename(entry, ".ts")}.js`), join(out, "app.js"));
  return buildDir;
}

export const BENCH_SECRETS = { SESSION_SECRET: "bench" };

/** Starts a worker without stand-ins. Its state is below `stateDir`. */
export function startBuilt(options: {
  buildDir: string;
  stateDir: string;
  port: number;
  bindings: Record<string, string>;
  cronEveryMs?: number;
}): Promise<LocalWorker> {
  mkdirSync(join(options.stateDir, "logs"), { recursive: true });
  const bindings = { ENVIRONMENT: "local", ...BENCH_SECRETS, ENCRYPTION_KEYS, ...options.bindings };
  return startLocalWorker({ ...options, root, host: "127.0.0.1", bindings });
}

/** Builds and starts a worker in a folder of its own, which `close` removes. */
export async function startBenchWorker({
  entry,
  bindings = {},
}: {
  entry?: string;
  bindings?: Record<string, string>;
}): Promise<LocalWorker & { url: string }> {
  const stateDir = mkdtempSync(join(tmpdir(), "growline-bench-"));
  const port = await freePort();
  const worker = await startBuilt({ buildDir: await buildBench(stateDir, entry), stateDir, port, bindings });
  return {
    ...worker,
    url: `http://127.0.0.1:${port}`,
    async close() {
      await worker.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
