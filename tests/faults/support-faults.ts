import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { freePort } from "#tests/product/local-copy.ts";
import { migratedState } from "#tests/product/migrated-state.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { build, copyBuild } from "#tools/run/build.ts";
import { type LocalWorker, startLocalWorker } from "#tools/run/local-worker.ts";
import { processTable } from "#tools/run/processes.ts";
import type { Command, RoomReport, SideData } from "./chat-side.ts";
import { faultsOf, type StoredMessage } from "./check-messages.ts";
import { startOneWayProxy } from "./one-way-proxy.ts";

export type FaultPlan = {
  rooms: number;
  kills: number;
  /** Time between two kills, with the other faults in between. */
  roundMs: number;
  /** Mean time between two messages of each visitor and agent. */
  everyMs: number;
  /** Time limit for the last messages to arrive. */
  settleMs: number;
  /** Refocuses the pages at the end, so that a dead connection is detected in 8 s instead of at the next heartbeat. */
  refocus: boolean;
};
export type FaultFigures = {
  sent: number;
  acked: number;
  stored: number;
  kills: number;
  dropped: number;
  evicted: number;
  settledMs: number;
  faults: string[];
};

const root = join(import.meta.dirname, "../..");
const POLL_MS = 250;
const DROP_EVERY = 20;
const EVICT_EVERY = 10;

/** Runs a conversation in each room while it kills workerd, drops connections and evicts rooms. Checks all messages. */
export async function runFaults(plan: FaultPlan): Promise<FaultFigures> {
  const stateDir = mkdtempSync(join(tmpdir(), "growline-faults-"));
  const port = await freePort();
  const worker = await startWorker(stateDir, port);
  const proxy = await startOneWayProxy(port);
  const url = `http://localhost:${proxy.port}`;
  const sides: Worker[] = [];
  try {
    const agentCookie = await newAgent(url, worker);
    const visitors = await inTens(plan.rooms, () => newVisitor(url));
    const agents = visitors.map(({ sessionId }) => ({ sessionId, cookie: agentCookie }));
    sides.push(
      await startSide({ side: "user", url, rooms: visitors, everyMs: plan.everyMs }),
      await startSide({ side: "admin", url, rooms: agents, everyMs: plan.everyMs }),
    );
    await untilLive(sides, plan.settleMs);
    command(sides, "talk");
    let [dropped, evicted] = [0, 0];
    for (let kill = 0; kill < plan.kills; kill++) {
      await pause(plan.roundMs / 3);
      const chosen = visitors.filter((_, at) => (at + kill) % EVICT_EVERY === 0);
      for (const { sessionId } of chosen) evicted += await evict(worker, sessionId);
      await pause(plan.roundMs / 3);
      dropped += proxy.dropOneWay(DROP_EVERY);
      await pause(plan.roundMs / 3);
      for (const pid of ownWorkerds()) process.kill(pid, "SIGKILL");
    }
    // No kill follows, so the clients have to detect these dead connections themselves.
    await pause(plan.roundMs);
    dropped += proxy.dropOneWay(DROP_EVERY / 2);
    command(sides, "stop");
    if (plan.refocus) command(sides, "refocus");
    const settling = Date.now();
    await untilLive(sides, plan.settleMs);
    const settledMs = Date.now() - settling;
    const [user = [], admin = []] = await Promise.all(sides.map(report));
    const stored = await storedMessages(worker, user, plan.settleMs);
    const faults = user.flatMap((visitor, at) => {
      const agent = admin[at];
      return agent ? faultsOf(visitor, agent, stored.get(visitor.sessionId) ?? []) : ["an agent is missing"];
    });
    const all = [...user, ...admin];
    return {
      sent: sum(all.map(({ sent }) => sent.length)),
      acked: new Set(all.flatMap(({ acks }) => acks.map(({ clientId }) => clientId))).size,
      stored: sum([...stored.values()].map((rows) => rows.length)),
      kills: plan.kills,
      dropped,
      evicted,
      settledMs,
      faults,
    };
  } finally {
    await Promise.all(sides.map((side) => side.terminate()));
    proxy.close();
    await worker.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function startWorker(stateDir: string, port: number): Promise<LocalWorker> {
  await build(root);
  mkdirSync(join(stateDir, "logs"));
  cpSync(await migratedState(), stateDir, { recursive: true });
  const buildDir = join(stateDir, "build");
  copyBuild(root, buildDir);
  silence(join(buildDir, "worker", "app.js"));
  const bindings = {
    ENVIRONMENT: "local",
    SESSION_SECRET: randomUUID(),
    ENCRYPTION_KEYS: `1:${btoa("x".repeat(32))}`,
    STAFF_SECOND_FACTOR: "off",
  };
  return startLocalWorker({ root, stateDir, buildDir, host: "127.0.0.1", port, bindings });
}

/** Returns the workerds that this process started itself. Those of a whole copy are below the process of that. */
function ownWorkerds(): number[] {
  const own = processTable().filter(({ parent, command }) => parent === process.pid && command.includes("workerd"));
  return own.map(({ pid }) => pid);
}

/**
 * Leaves a worker's lines at level info out. An eviction waits for workerd synchronously, and workerd waits until somebody
 * reads what it logs: hundreds of clients that connect again would hold both up for good.
 */
function silence(worker: string): void {
  writeFileSync(worker, `globalThis.console.log = () => {};\n${readFileSync(worker, "utf8")}`);
}

async function startSide(workerData: SideData): Promise<Worker> {
  const side = new Worker(join(import.meta.dirname, "chat-side.ts"), { workerData });
  await new Promise((resolve) => side.once("message", resolve));
  return side;
}

async function newVisitor(url: string): Promise<{ sessionId: string; cookie: string }> {
  const response = await fetch(`${url}/support/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: url },
    body: JSON.stringify({ name: "Visitor" }),
  });
  const { session } = (await response.json()) as { session: { session_id: string } };
  return { sessionId: session.session_id, cookie: cookiesOf(response) };
}

async function newAgent(url: string, worker: LocalWorker): Promise<string> {
  const form = { email: "agent@faults.example", password: "a long password", fullName: "Agent", redirectTo: "/" };
  const response = await fetch(`${url}/auth/signup`, {
    method: "POST",
    headers: { Origin: url },
    body: new URLSearchParams(form),
    redirect: "manual",
  });
  const database = await worker.database("DB");
  const updated = await database.prepare("UPDATE profiles SET role = 'agent' WHERE email = ?").bind(form.email).run();
  if (updated.meta.changes !== 1) throw new Error(`the agent could not sign up: ${response.status}`);
  return cookiesOf(response);
}

async function evict(worker: LocalWorker, sessionId: string): Promise<number> {
  try {
    await worker.evictRoom(sessionId);
    return 1;
  } catch {
    // The room was not in memory.
    return 0;
  }
}

async function untilLive(sides: Worker[], withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    const [user = [], admin = []] = await Promise.all(sides.map(report));
    const isBehind = ({ shown }: RoomReport, at: number) => shown.length !== admin[at]?.shown.length;
    const isBusy = ({ unsent, connection }: RoomReport) => unsent > 0 || connection !== "live";
    const waiting = [...user.filter(isBehind), ...user.filter(isBusy), ...admin.filter(isBusy)];
    // The checker reports whatever is missing after the time limit.
    if (waiting.length === 0 || Date.now() > end) return;
    await pause(POLL_MS);
  }
}

/** Reads the messages from D1 once it has as many as the visitors see, or after the time limit. */
async function storedMessages(
  worker: LocalWorker,
  visitors: RoomReport[],
  withinMs: number,
): Promise<Map<string, StoredMessage[]>> {
  const expected = sum(visitors.map(({ shown }) => shown.length));
  const end = Date.now() + withinMs;
  for (;;) {
    const database = await worker.database("DB_SUPPORT");
    const query = "SELECT session_id, seq, message FROM support_messages ORDER BY session_id, seq";
    const { results } = await database.prepare(query).all<StoredMessage & { session_id: string }>();
    if (results.length >= expected || Date.now() > end) return Map.groupBy(results, (row) => row.session_id);
    await pause(POLL_MS);
  }
}

function report(side: Worker): Promise<RoomReport[]> {
  return new Promise((resolve) => {
    side.once("message", resolve);
    side.postMessage("report" satisfies Command);
  });
}

function command(sides: Worker[], name: Command): void {
  for (const side of sides) side.postMessage(name);
}

async function inTens<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  while (results.length < count) {
    results.push(...(await Promise.all(Array.from({ length: Math.min(10, count - results.length) }, make))));
  }
  return results;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
