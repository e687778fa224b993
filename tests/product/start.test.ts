import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { MICRO } from "#app/product.ts";
import { storedRows } from "./copy-database.ts";
import { freePort, type LocalCopy, startLocalCopy, workerdBelow } from "./local-copy.ts";
import { api, completeOrder, placeOrder } from "./panel-orders.ts";
import { type CommandResult, runCommand } from "./run-command.ts";
import { CRON_EVERY_MS, test } from "./shared-copy.ts";

let copy: LocalCopy;
/** Statuses that a monitor got during the copy's first start, from an empty folder. */
const statuses = new Set<number>();

beforeAll(async () => {
  const port = await freePort();
  const empty = mkdtempSync(join(tmpdir(), "growline-"));
  let isReady = false;
  const watching = (async () => {
    for (let at = 0; !isReady; at++) {
      const path = ["/healthz", "/status", "/", "/api/balance", "/readyz"][at % 5];
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      if (response) statuses.add(response.status);
      await response?.text().catch(() => "");
      await setTimeout(response ? 20 : 5);
    }
  })();
  copy = await startLocalCopy({ CRON_EVERY_MS }, empty, port);
  isReady = true;
  await watching;
  rmSync(empty, { recursive: true });
}, 420_000);

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

test("logs no error on a first start that a monitor watches", () => {
  const log = readFileSync(join(copy.stateDir, "logs", "worker.log"), "utf8");
  expect(log.split("\n").filter((line) => /"level":"error"|no such table/.test(line))).toEqual([]);
  expect(statuses).toEqual(new Set([200, 401]));
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
    { timeout: 90_000, interval: 500 },
  );
  expect(done[id]?.charge).toBe(charge);
  const spent = Object.values(done).reduce((sum, order) => sum + Number(order.charge), 0);
  expect(before - (await balance(copy))).toBeCloseTo(spent, 6);
});

test("runs a second copy with its own accounts and orders", async ({ copy: second }) => {
  for (const [one, other] of [
    [copy, second],
    [second, copy],
  ] as const) {
    expect(await balance(one)).toBeGreaterThan(0);
    const foreign = await fetch(`${one.url}/api/balance`, {
      headers: { Authorization: `Bearer ${other.demo.customer.apiKey}` },
    });
    expect(foreign.status).toBe(401);
  }
});

test("restarts a killed workerd without losing anything acknowledged", async () => {
  const before = await balance(copy);
  copy.killWorkerd();
  await copy.untilReady();
  expect(await balance(copy)).toBe(before);
});

test("refuses a second copy on the same state, says who runs there, and changes nothing", async () => {
  const files = ["demo.json", "secrets.json", "in-use.json"].map((name) => join(copy.stateDir, name));
  const before = files.map((file) => readFileSync(file, "utf8"));
  const { status, stderr } = await start({ PORT: String(await freePort()), STATE_DIR: copy.stateDir });
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringContaining(`${copy.stateDir} is in use by npm start at ${copy.url} (process `),
  ]);
  expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(before);
  expect(await completeOrder(copy)).toBe("Completed");
});

test("takes over the state of a killed copy, ends what that left running, and replaces lost passwords only", async () => {
  const before = await balance(copy);
  const pid = holder();
  const left = workerdBelow(pid);
  expect(left.length).toBeGreaterThan(0);
  process.kill(pid, "SIGKILL");
  await copy.stop();
  expect(left.every(isRunning)).toBe(true);
  rmSync(join(copy.stateDir, "demo.json"));
  await copy.start();
  expect(left.some(isRunning)).toBe(false);
  const { customer } = readDemo();
  const { email, password } = customer;
  expect(password).not.toBe(copy.demo.customer.password);
  const signedIn = await fetch(`${copy.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status).toBe(200);
  expect(await balance(copy)).toBe(before);
  expect(await balance({ ...copy, demo: { ...copy.demo, customer } })).toBe(before);
});

test("ends every child on Ctrl-C and keeps the data", async () => {
  await placeOrder(copy);
  const before = await balance(copy);
  const demo = readDemo();
  const workerds = workerdBelow(holder());
  expect(workerds.length).toBeGreaterThan(0);
  await copy.stop();
  await vi.waitUntil(() => !workerds.some(isRunning), { timeout: 90_000 });
  const { email } = copy.demo.customer;
  const wallet = "select balance from wallets join users on users.id = wallets.user_id where users.email = ?";
  expect(storedRows(copy.stateDir, wallet, email)).toEqual([{ balance: Math.round(before * MICRO) }]);
  expect(readDemo()).toEqual(demo);
  expect(existsSync(join(copy.stateDir, "in-use.json"))).toBe(false);
});

test("reports a taken port in one line", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  const { status, stderr } = await start({ PORT: String(port), STATE_DIR: folder });
  expect(status).toBe(1);
  expect(stderr.trim()).toBe(
    `Port ${port} is taken. For another copy choose another port and folder: PORT=${port + 1} STATE_DIR=.local-${port + 1} npm start`,
  );
  other.close();
  rmSync(folder, { recursive: true });
});

test("reports a state folder that cannot be created in one line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  writeFileSync(join(folder, "file"), "");
  const { status, stderr } = await start({ PORT: "1024", STATE_DIR: join(folder, "file", "state") });
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

function readDemo(): LocalCopy["demo"] {
  return JSON.parse(readFileSync(join(copy.stateDir, "demo.json"), "utf8"));
}

/** Returns the process that runs the copy. */
function holder(): number {
  return (JSON.parse(readFileSync(join(copy.stateDir, "in-use.json"), "utf8")) as { pid: number }).pid;
}

/** Runs a start that is refused. */
function start(env: Record<string, string>): Promise<CommandResult> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return runCommand("tools/run/start.ts", []).finally(() => vi.unstubAllEnvs());
}

async function balance(of: LocalCopy): Promise<number> {
  return Number((await api<{ balance: string }>(of, { action: "balance" })).balance);
}
