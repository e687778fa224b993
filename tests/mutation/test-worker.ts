import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Job, JobResult } from "./mutant-runner.ts";

/** A worker gets this long on top of five times what the file took, the start of workerd included. */
const START_MS = 120_000;

/** Vitest with one worker that stays for many jobs. A job that hangs or breaks it ends it, and the next one starts another. */
export class TestWorker {
  private child: ChildProcess | null = null;
  private server: Server | null = null;
  private url = "";
  private job: Job | null = null;
  /** The worker's last request, which is answered with the next job. */
  private waiting: ServerResponse | null = null;
  private finish: ((result: JobResult | null) => void) | null = null;
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Returns null if the worker hung or ended. `expectedMs` is what the file takes without a mutant. */
  async run(job: Job, expectedMs: number): Promise<JobResult | null> {
    await this.listen();
    this.job = job;
    const result = new Promise<JobResult | null>((resolve) => {
      this.finish = resolve;
    });
    if (this.waiting) this.waiting.end(JSON.stringify({ next: join(this.root, job.testFile) }));
    else this.start(job);
    this.waiting = null;
    const timer = setTimeout(() => this.finish?.(null), START_MS + expectedMs * 5);
    const outcome = await result;
    clearTimeout(timer);
    this.finish = null;
    if (outcome === null) await this.stop();
    return outcome;
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = null;
    this.waiting?.end(JSON.stringify({ next: null }));
    this.waiting = null;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    try {
      // The group: workerd is a child of vitest.
      process.kill(-child.pid, "SIGKILL");
    } catch {
      return;
    }
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private start(job: Job): void {
    const log = openSync(join(this.root, "worker.log"), "w");
    const args = ["run", "--config", "tests/mutation/vitest.mutation.ts", "--reporter", "dot", job.testFile];
    const child = spawn(join(this.root, "node_modules/.bin/vitest"), args, {
      cwd: this.root,
      env: { ...process.env, MUTATION_JOBS: this.url },
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.on("exit", () => {
      if (this.child === child) this.finish?.(null);
    });
    this.child = child;
  }

  private async listen(): Promise<void> {
    if (this.server) return;
    const server = createServer((request, response) => {
      if (request.method === "GET") {
        response.end(JSON.stringify(this.job));
        return;
      }
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        this.waiting = response;
        this.finish?.(JSON.parse(body) as JobResult);
      });
    });
    // A job may be long.
    server.requestTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    this.server = server;
  }
}
