import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startSandboxProvider } from "#tools/sandbox-provider.ts";

declare module "vitest" {
  interface ProvidedContext {
    sandbox: { url: string; key: string };
  }
}

/** The sandbox provider, running for real beside the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const key = "sandbox-key-for-tests";
  const file = join(mkdtempSync(join(tmpdir(), "growline-sandbox-")), "orders.jsonl");
  const provider = await startSandboxProvider({ key, file });
  project.provide("sandbox", { url: provider.url, key });
  return provider.close;
}
