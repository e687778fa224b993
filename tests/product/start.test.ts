import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type LocalCopy, startLocalCopy, workerdBelow } from "./local-copy.ts";

const root = join(import.meta.dirname, "..", "..");
let copy: LocalCopy;

beforeAll(async () => {
  copy = await startLocalCopy();
}, 180_000);
afterAll(() => copy.remove(), 30_000);

test("writes what a newcomer needs into demo.json, readable by its owner only", () => {
  expect(statSync(join(copy.stateDir, "demo.json")).mode & 0o077).toBe(0);
  expect(copy.demo).toEqual({
    url: copy.url,
    admin: { email: expect.any(String), password: expect.any(String) },
    agent: { email: expect.any(String), password: expect.any(String) },
    customer: { email: expect.any(String), password: expect.any(String), apiKey: expect.stringMatching(/^gl_live_/) },
    // Includes the OAuth client, so that a test can read what the emulator holds.
    google: {
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
      clientId: expect.any(String),
      clientSecret: expect.any(String),
    },
    provider: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) },
  });
  expect(existsSync(join(copy.stateDir, "logs"))).toBe(true);
});

test("completes an order placed over the API and debits exactly its charge", async () => {
  const before = await balance(copy);
  const [first] = await api<{ service: string; min: string }[]>(copy, { action: "services" });
  const created = await fetch(`${copy.url}/api/v1/create_order`, {
    method: "POST",
    headers: { Authorization: `Bearer ${copy.demo.customer.apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ service: first?.service, link: "https://instagram.com/growline", quantity: 1000 }),
  });
  expect(created.status).toBe(201);
  const { id, charge } = (await created.json()) as { id: number; charge: string };
  const panel = await api<{ order: number }>(copy, {
    action: "add",
    service: String(first?.service),
    link: "https://instagram.com/growline",
    quantity: "500",
  });
  const done = await vi.waitUntil(
    async () => {
      const body = await api<Record<string, { status: string; charge: string }>>(copy, {
        action: "status",
        orders: `${id},${panel.order}`,
      });
      return Object.values(body).every(({ status }) => status === "Completed") && body;
    },
    { timeout: 20_000, interval: 200 },
  );
  expect(done[id]?.charge).toBe(charge);
  const spent = Object.values(done).reduce((sum, order) => sum + Number(order.charge), 0);
  expect(before - (await balance(copy))).toBeCloseTo(spent, 6);
}, 30_000);

test("runs a second copy with its own accounts and orders", async () => {
  const second = await startLocalCopy();
  try {
    expect(second.demo.customer.apiKey).not.toBe(copy.demo.customer.apiKey);
    const foreign = await fetch(`${second.url}/api/balance`, {
      headers: { Authorization: `Bearer ${copy.demo.customer.apiKey}` },
    });
    expect(foreign.status).toBe(401);
    expect(await balance(second)).toBe(250);
    expect(await balance(copy)).toBeGreaterThan(0);
  } finally {
    await second.remove();
  }
}, 60_000);

test("ends every child on Ctrl-C and keeps the data for the next start", async () => {
  await api(copy, { action: "add", service: "1", link: "https://instagram.com/growline", quantity: "100" });
  const before = await balance(copy);
  const workerds = workerdBelow(process.pid);
  expect(workerds.length).toBeGreaterThan(0);
  await copy.stop();
  expect(workerdBelow(process.pid)).toEqual([]);
  await vi.waitUntil(() => !workerds.some(isRunning), { timeout: 5000 });
  await copy.start();
  expect(await balance(copy)).toBe(before);
  expect(JSON.parse(readFileSync(join(copy.stateDir, "demo.json"), "utf8")).customer).toEqual(copy.demo.customer);
}, 60_000);

test("restarts a killed workerd without losing anything acknowledged", async () => {
  const before = await balance(copy);
  copy.killWorkerd();
  await copy.untilReady();
  expect(await balance(copy)).toBe(before);
}, 30_000);

test("reports a taken port in one line", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = start({ PORT: String(port) });
  expect(status).toBe(1);
  expect(stderr.trim()).toBe(
    `Port ${port} is taken. Choose another: PORT=${port + 1} STATE_DIR=.local-${port + 1} npm start`,
  );
  other.close();
});

test("reports a state folder that cannot be created in one line", () => {
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  writeFileSync(join(folder, "file"), "");
  const { status, stderr } = start({ PORT: "1024", STATE_DIR: join(folder, "file", "state") });
  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(/^The state folder \S+ cannot be written: .*$/);
  rmSync(folder, { recursive: true });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function start(env: Record<string, string>) {
  return spawnSync(process.execPath, ["tools/run/start.ts"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
}

async function api<T>(of: LocalCopy, fields: Record<string, string>): Promise<T> {
  const body = new URLSearchParams({ key: of.demo.customer.apiKey, ...fields });
  return (await (await fetch(`${of.url}/api/v2`, { method: "POST", body })).json()) as T;
}

async function balance(of: LocalCopy): Promise<number> {
  return Number((await api<{ balance: string }>(of, { action: "balance" })).balance);
}
