import { type ChildProcess, type Serializable, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Demo } from "#tools/demo/seed.ts";
import { processTable } from "#tools/run/processes.ts";
import { keepSecrets } from "#tools/run/state-secrets.ts";
import { migratedState } from "./migrated-state.ts";

/**
 * A private copy of the whole product, as `npm start` runs it: its own free port, its own state. Browser tests, benches
 * and fault tests use it.
 */
export type LocalCopy = {
  url: string;
  demo: Demo;
  stateDir: string;
  /** Kills the running workerd with SIGKILL. The copy starts a new one by itself. */
  killWorkerd(): void;
  /** Evicts the support desk, as the platform does after a quiet time; the consoles' sockets hibernate. */
  evictDesk(): Promise<void>;
  /** Restarts workerd with these bindings beside and over those of the start, in a tenth of the processor time of a start. */
  configure(bindings: Record<string, string>): Promise<void>;
  /** Runs one statement on a database of the copy, by its own workerd, and returns how many rows it and its triggers changed. */
  changeRows(database: "DB" | "DB_SUPPORT", statement: string, ...values: (string | number)[]): Promise<number>;
  /** Resolves once the copy serves pages again. */
  untilReady(): Promise<void>;
  /** Ends it as Ctrl-C would, and keeps its state. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its state. */
  remove(): Promise<void>;
};

/** Messages that tools/run/start.ts knows. */
const EVICT_DESK = "evict the desk";
const CONFIGURE = "configure";
const CHANGE_ROWS = "change rows";
const root = join(import.meta.dirname, "..", "..");
const START_TIMEOUT_MS = 300_000;
/** For a busy machine: how long a request waits for its databases. */
const DATABASE_WAIT_MS = "120000";
const POLL_MS = 50;
const LOWEST_PORT = 20_000;
/** Linux gives these to outgoing connections. */
const LOWEST_EPHEMERAL_PORT = 32_768;

/**
 * Starts a copy and waits until it is ready. `env` overrides this process's environment; `from` is the state folder to
 * begin with, of a stopped copy, or an empty one for a real first start. Without `givenPort`, it has a free one.
 */
export async function startLocalCopy(
  env: NodeJS.ProcessEnv = {},
  from: string | null = null,
  givenPort?: number,
): Promise<LocalCopy> {
  const stateDir = await mkdtemp(join(tmpdir(), "growline-"));
  if (from === null) keepSecrets(stateDir);
  await cp(from ?? (await migratedState()), stateDir, { recursive: true });
  const port = givenPort ?? (await freePort());
  let child = await start(port, stateDir, env);
  const demo = JSON.parse(await readFile(join(stateDir, "demo.json"), "utf8")) as Demo;
  const copy: LocalCopy = {
    url: demo.url,
    demo,
    stateDir,
    killWorkerd() {
      const pids = workerdBelow(child.pid);
      if (pids.length === 0) throw new Error("no workerd to kill");
      for (const pid of pids) process.kill(pid, "SIGKILL");
    },
    async evictDesk() {
      await ask(child, { type: EVICT_DESK }, (reply) => reply === EVICT_DESK);
    },
    async configure(bindings) {
      await ask(child, { type: CONFIGURE, bindings }, (reply) => reply === CONFIGURE);
    },
    async changeRows(database, statement, ...values) {
      const request = { type: CHANGE_ROWS, database, statement, values };
      return Number(await ask(child, request, (reply) => typeof reply === "number"));
    },
    async untilReady() {
      for (;;) {
        try {
          if ((await fetch(demo.url, { signal: AbortSignal.timeout(2000) })).ok) return;
        } catch {
          // It is still starting.
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    stop: () => stop(child),
    async start() {
      child = await start(port, stateDir, env);
    },
    async remove() {
      await stop(child);
      await rm(stateDir, { recursive: true, force: true });
    },
  };
  return copy;
}

function start(port: number, stateDir: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["tools/bootstrap.mjs", "tools/run/start.ts"], {
    cwd: root,
    env: { DATABASE_WAIT_MS, ...process.env, ...env, PORT: String(port), STATE_DIR: stateDir },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(`the copy did not start:\n${output}`));
    }, START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      output += chunk;
      if (!output.includes("Ready.")) return;
      clearTimeout(timer);
      resolve(child);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the copy ended with ${code}:\n${output}`));
    });
  });
}

/** Sends a message to a started copy, and returns its reply. Throws if it is not one that says that it is done. */
function ask(starter: ChildProcess, request: Serializable, isDone: (reply: unknown) => boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => {
      starter.off("message", onMessage);
      reject(new Error("the copy has ended"));
    };
    const onMessage = (message: unknown) => {
      // start.ts sends "ready" after every start.
      if (message === "ready") return;
      starter.off("message", onMessage);
      starter.off("exit", onExit);
      if (isDone(message)) resolve(message);
      else reject(new Error(`not done: ${message}`));
    };
    starter.on("message", onMessage);
    starter.once("exit", onExit);
    starter.send(request);
  });
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

/**
 * Returns a free port below those that the system gives to outgoing connections: one of those is often taken again
 * before the copy listens on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, LOWEST_EPHEMERAL_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Process ids of the workerds that run below `pid`. */
export function workerdBelow(pid: number | undefined): number[] {
  const children = processTable();
  const found: number[] = [];
  const walk = (parent: number | undefined) => {
    for (const child of children.filter((entry) => entry.parent === parent)) {
      if (child.command.includes("workerd")) found.push(child.pid);
      walk(child.pid);
    }
  };
  walk(pid);
  return found;
}
