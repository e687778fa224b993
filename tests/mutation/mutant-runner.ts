import { inject, type RunnerTestCase, type RunnerTestFile, TestRunner } from "vitest";
import { type ActiveMutant, activate, type Reached, recordReached, takeReached } from "./active-mutant.ts";

declare module "vitest" {
  interface ProvidedContext {
    mutationJobs: string;
  }
}

/** One test file to run: those of its tests whose places are in `only`, or all. Without a mutant, records what they reach. */
export type Job = { testFile: string; only: number[] | null; mutant: ActiveMutant | null; timeoutMs: number };

/** `failedTest` is the place of the test that failed. Null if none did, or if the file failed outside its tests. */
export type JobResult = {
  failed: string | null;
  failedTest: number | null;
  timedOut: boolean;
  ms: number;
  tests: { name: string; ms: number; reached: Reached }[];
  /** Mutants reached while the file loads, and in its hooks. */
  outside: Reached;
};

const TIMED_OUT = /timed out|without an end/;
/** Taken before tests replace it. */
const send = globalThis.fetch.bind(globalThis);

/**
 * Runs one test file after another in the same worker, as `mutate.ts` asks for them: a fresh worker costs seconds, a
 * repeated file a fraction of one. A file ends at its first failure.
 */
export default class MutantRunner extends TestRunner {
  private job: Job | null = null;
  private places = new Map<string, number>();
  private failure: { text: string; place: number } | null = null;
  private tests: JobResult["tests"] = [];
  private outside: Reached = {};
  private started = 0;

  async onBeforeCollect(): Promise<void> {
    const job = (await (await send(inject("mutationJobs"))).json()) as Job;
    this.job = job;
    this.config.testTimeout = job.timeoutMs;
    this.config.hookTimeout = job.timeoutMs;
    this.failure = null;
    this.tests = [];
    this.outside = {};
    this.started = Date.now();
    if (!job.mutant) recordReached();
    activate(job.mutant);
  }

  onBeforeRunFiles(files: RunnerTestFile[]): void {
    this.places = new Map(files.flatMap(testsIn).map(({ id }, place) => [id, place]));
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const isWanted = this.job?.only?.includes(this.placeOf(test)) ?? true;
    if (this.failure || !isWanted) test.mode = "skip";
    this.addOutside();
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    const place = this.placeOf(test);
    this.tests[place] = { name: test.name, ms: test.result?.duration ?? 0, reached: this.taken() };
    if (test.result?.state === "fail") {
      this.failure ??= { text: `${test.name}: ${test.result.errors?.[0]?.message ?? ""}`, place };
    }
    super.onAfterRunTask(test);
  }

  override async onAfterRunFiles(files: RunnerTestFile[]): Promise<void> {
    super.onAfterRunFiles(files);
    activate(null);
    this.addOutside();
    takeReached();
    const text = this.failure?.text ?? files.map(failureOf).find((one) => one !== null) ?? null;
    const result: JobResult = {
      failed: text?.slice(0, 300) ?? null,
      failedTest: this.failure?.place ?? null,
      timedOut: text !== null && TIMED_OUT.test(text),
      ms: Date.now() - this.started,
      tests: this.tests,
      outside: this.outside,
    };
    const response = await send(inject("mutationJobs"), { method: "POST", body: JSON.stringify(result) });
    const { next } = (await response.json()) as { next: string | null };
    if (next) append(this, next);
  }

  private placeOf({ id }: RunnerTestCase): number {
    return this.places.get(id) ?? -1;
  }

  private addOutside(): void {
    for (const [file, indexes] of Object.entries(this.taken())) {
      this.outside[file] = [...new Set([...(this.outside[file] ?? []), ...indexes])];
    }
  }

  private taken(): Reached {
    const taken = takeReached();
    if (this.job?.mutant === null) recordReached();
    return taken;
  }
}

/** Adds a file to the list that vitest walks through: it has no setting to run a file again in the same worker. */
function append(runner: TestRunner, filepath: string): void {
  const { files } = (runner as unknown as { workerState: { ctx: { files: { filepath: string }[] } } }).workerState.ctx;
  files.push({ ...files[0], filepath });
}

function testsIn(task: { type: string; tasks?: unknown[] }): RunnerTestCase[] {
  return ((task.tasks ?? []) as { type: string }[]).flatMap((one) =>
    one.type === "test" ? [one as RunnerTestCase] : testsIn(one),
  );
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
