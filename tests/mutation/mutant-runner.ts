import { inject, type RunnerTestCase, type RunnerTestFile, TestRunner } from "vitest";
import { type ActiveMutant, activate, recordReached, takeReached } from "./active-mutant.ts";

declare module "vitest" {
  interface ProvidedContext {
    mutationJobs: string;
  }
}

/** One test file to run, with a mutant or, without one, to record what it reaches. */
export type Job = { testFile: string; mutant: ActiveMutant | null; timeoutMs: number };

export type JobResult = {
  failed: string | null;
  timedOut: boolean;
  ms: number;
  slowestMs: number;
  reached: Record<string, number[]>;
};

const TIMED_OUT = /timed out|without an end/;
/** Taken before tests replace it. */
const send = globalThis.fetch.bind(globalThis);

/**
 * Runs one test file after another in the same worker, as `mutate.ts` asks for them: a fresh worker costs seconds, a
 * repeated file a fraction of one. A file ends at its first failure.
 */
export default class MutantRunner extends TestRunner {
  private failure: { text: string } | null = null;
  private slowestMs = 0;
  private started = 0;

  async onBeforeCollect(): Promise<void> {
    const job = (await (await send(inject("mutationJobs"))).json()) as Job;
    this.config.testTimeout = job.timeoutMs;
    this.config.hookTimeout = job.timeoutMs;
    this.failure = null;
    this.slowestMs = 0;
    this.started = Date.now();
    if (!job.mutant) recordReached();
    activate(job.mutant);
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (this.failure) test.mode = "skip";
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    this.slowestMs = Math.max(this.slowestMs, test.result?.duration ?? 0);
    if (test.result?.state === "fail")
      this.failure ??= { text: `${test.name}: ${test.result.errors?.[0]?.message ?? ""}` };
    super.onAfterRunTask(test);
  }

  override async onAfterRunFiles(files: RunnerTestFile[]): Promise<void> {
    super.onAfterRunFiles(files);
    activate(null);
    const failed = files.map(failureOf).find((text) => text !== null);
    const text = this.failure?.text ?? failed ?? null;
    const result: JobResult = {
      failed: text?.slice(0, 300) ?? null,
      timedOut: text !== null && TIMED_OUT.test(text),
      ms: Date.now() - this.started,
      slowestMs: this.slowestMs,
      reached: takeReached(),
    };
    const response = await send(inject("mutationJobs"), { method: "POST", body: JSON.stringify(result) });
    const { next } = (await response.json()) as { next: string | null };
    if (next) append(this, next);
  }
}

/** Adds a file to the list that vitest walks through: it has no setting to run a file again in the same worker. */
function append(runner: TestRunner, filepath: string): void {
  const { files } = (runner as unknown as { workerState: { ctx: { files: { filepath: string }[] } } }).workerState.ctx;
  files.push({ ...files[0], filepath });
}

/** Returns why the file or one of its groups failed outside a test, in a hook or at an import. */
function failureOf(task: { result?: { errors?: { message: string }[] }; tasks?: unknown[] }): string | null {
  const own = task.result?.errors?.[0]?.message;
  if (own) return own;
  for (const inner of (task.tasks ?? []) as { type: string }[]) {
    const text = inner.type === "suite" ? failureOf(inner as never) : null;
    if (text) return text;
  }
  return null;
}
