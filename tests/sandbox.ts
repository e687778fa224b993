import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startSandboxProvider } from "#tools/sandbox-provider.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

declare module "vitest" {
  interface ProvidedContext {
    sandbox: { url: string; key: string };
    webhooks: { url: string };
  }
}

/** What our worker calls, running for real beside the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const key = "sandbox-key-for-tests";
  const file = join(mkdtempSync(join(tmpdir(), "growline-sandbox-")), "orders.jsonl");
  const provider = await startSandboxProvider({ key, file });
  const receiver = await startWebhookReceiver();
  project.provide("sandbox", { url: provider.url, key });
  project.provide("webhooks", { url: receiver.url });
  return () => Promise.all([provider.close(), receiver.close()]);
}
