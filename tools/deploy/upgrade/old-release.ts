import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Demo } from "#tools/demo/seed.ts";
import { siteClient } from "#tools/deploy/site-client.ts";
import { smokeTestOf } from "#tools/deploy/smoke-test.ts";
import { pagePaths } from "#tools/pages/page-list.ts";
import { CommandError } from "#tools/run/command-line.ts";
import { readJsonFile } from "#tools/run/state-files.ts";

/** Another checkout of the product, run as `npm start` there runs it. */

const NIGHTLY = "/cdn-cgi/local/scheduled?cron=17+3+*+*+*";
const ORDER_WAIT_MS = 60_000;
const POLL_MS = 500;

export type OldRelease = { url: string; demo: Demo; stop(): Promise<void> };

/** Starts the checkout on that state. Throws what it printed if it doesn't start. */
export async function startOldRelease(root: string, stateDir: string): Promise<OldRelease> {
  const child = spawn(process.execPath, ["tools/bootstrap.mjs", "tools/run/start.ts"], {
    cwd: root,
    env: { ...process.env, PORT: String(await freePort()), STATE_DIR: stateDir },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  child.on("message", (message) => message === "ready" && resolve());
  child.once("exit", () => reject(new CommandError(`It doesn't start: ${output.trim().split("\n").at(-1)}`)));
  await ready;
  const demo = readJsonFile(join(stateDir, "demo.json"), "") as Demo;
  return {
    url: demo.url,
    demo,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/**
 * Does what visitors, customers, API clients, staff and the clock do. Returns what failed, a line each. Failures behind a
 * response are in the worker's log.
 */
export async function exerciseRelease({ url, demo }: OldRelease, accountFile: string): Promise<string[]> {
  const faults: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    await work().catch((error: Error) => faults.push(`${what}: ${error.message}`));
  };
  const smoke = smokeTestOf({ url, worker: "growline", accountFile, email: "smoke@growline.example", say: () => {} });
  await attempt("smoke test", () => smoke(null));
  await attempt("paid order", () => completeAnOrder(url, demo.customer.apiKey));
  for (const who of [demo.customer, demo.agent, demo.admin]) {
    const site = siteClient(url, "growline", null, new Map());
    await attempt(`${who.email}: sign-in`, async () => {
      const { status } = await site.postJson("/auth/v1/token?grant_type=password", who);
      if (status !== 200) throw new Error(`HTTP ${status}`);
    });
    for (const pattern of pagePaths()) {
      const path = pattern.replaceAll(/:\w+|\*/g, "1");
      await attempt(`${who.email}: ${path}`, async () => {
        const response = await site.fetch(path);
        await response.arrayBuffer();
        if (response.status >= 500) throw new Error(`HTTP ${response.status}`);
      });
    }
  }
  await attempt("nightly jobs", async () => {
    const { status } = await fetch(url + NIGHTLY);
    if (status !== 200) throw new Error(`HTTP ${status}`);
  });
  return faults;
}

/** Places an order that is charged, and waits until the provider's stand-in has completed it. */
async function completeAnOrder(url: string, key: string): Promise<void> {
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "Idempotency-Key": randomUUID(),
  };
  const body = JSON.stringify({ service: 1, link: "https://instagram.com/growline", quantity: 1000 });
  const placed = await fetch(`${url}/api/v1/create_order`, { method: "POST", headers, body });
  if (placed.status !== 201) throw new Error(`HTTP ${placed.status} ${await placed.text()}`);
  const { id } = (await placed.json()) as { id: number };
  const until = Date.now() + ORDER_WAIT_MS;
  for (;;) {
    const fields = new URLSearchParams({ key, action: "status", order: String(id) });
    const { status } = (await (await fetch(`${url}/api/v2`, { method: "POST", body: fields })).json()) as {
      status?: string;
    };
    if (status === "Completed") return;
    if (Date.now() > until) throw new Error(`order ${id} is ${status}`);
    await wait(POLL_MS);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
