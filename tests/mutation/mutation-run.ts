import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ActiveMutant } from "./active-mutant.ts";
import { type Choice, chooseTests } from "./choose-tests.ts";
import type { JobResult } from "./mutant-runner.ts";
import { type Mutant, mutate } from "./mutants.ts";
import { type Coverage, digest, hashOf, type MutantResult, type MutationState } from "./mutation-state.ts";
import type { Sample } from "./sample.ts";
import { TestWorker } from "./test-worker.ts";

/** A test may take this many times as long with a mutant, and the pause on top, before it has timed out. */
const TIMEOUT_FACTOR = 5;
const TIMEOUT_PAUSE_MS = 5_000;
const COVERAGE_TIMEOUT_MS = 60_000;
/** Kills that are trusted before a run without a mutant has shown that none of them broke the worker for the next. */
const KILLS_PER_CONTROL = 25;
const SAVE_EVERY_MS = 15_000;

type Options = {
  tree: string;
  state: MutationState;
  tests: string[];
  mayRun: (testFile: string) => boolean;
  until: number;
  sample: Sample;
  save: () => void;
};
type FailedTest = { testFile: string; place: number | null };
type Outcome = { result: MutantResult; killer: FailedTest | null };

/** One run of the command: it measures what the tests reach, then runs the mutants whose result is not known. */
export class MutationRun {
  private readonly worker: TestWorker;
  private readonly hashes = new Map<string, string>();
  private savedAt = Date.now();
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    this.worker = new TestWorker(options.tree);
  }

  /** Records what each test reaches, unless neither it nor one of these sources has changed since. */
  async cover(files: string[]): Promise<void> {
    const { state, tests, mayRun, until } = this.options;
    for (const known of Object.keys(state.coverage)) if (!tests.includes(known)) delete state.coverage[known];
    const stale = tests.filter((file) => mayRun(file) && !this.isCovered(file, files));
    for (const [at, testFile] of stale.entries()) {
      if (Date.now() > until) return;
      const result = await this.runWithout(testFile, null);
      state.coverage[testFile] = this.coverageOf(testFile, result);
      const { failed } = state.coverage[testFile];
      console.log(
        `${at + 1}/${stale.length} ${testFile}${failed ? `: left out, it fails without a mutant: ${failed}` : ""}`,
      );
      this.save();
    }
  }

  async runFile(file: string): Promise<void> {
    const { tree, state, until, sample } = this.options;
    const all = mutate(file, readFileSync(join(tree, file), "utf8")).mutants;
    const mutants = all.filter(({ index }) => sample(file, index));
    const hash = this.hash(file);
    const known = state.results[file];
    const results = known?.hash === hash ? known.mutants : {};
    state.results[file] = { hash, mutants: results };
    let waiting = mutants.filter((mutant) => !this.isKnown(results[mutant.index], this.choose(file, mutant)));
    const total = waiting.length;
    let trusted = KILLS_PER_CONTROL;
    while (waiting.length > 0 && Date.now() < until) {
      const kills: Mutant[] = [];
      let last: FailedTest | null = null;
      while (waiting.length > 0 && kills.length < trusted && Date.now() < until) {
        const mutant = waiting.shift() as Mutant;
        const { index, isStatic } = mutant;
        const { result, killer } = await this.runMutant({ file, index, isStatic }, this.choose(file, mutant));
        results[index] = result;
        this.save();
        if (result.status !== "killed") continue;
        kills.push(mutant);
        last = killer;
      }
      if (last === null || (await this.passesWithout(last))) continue;
      // One of them left the worker broken. They run again, in shorter series.
      console.log(`${file}: ${last.testFile} fails without a mutant; ${kills.length} kills run again in a new worker`);
      await this.worker.stop();
      for (const { index } of kills) delete results[index];
      waiting = [...kills, ...waiting];
      trusted = Math.max(1, Math.floor(trusted / 5));
    }
    if (total > 0) console.log(`${file}: ${summary(Object.values(results))}`);
    this.options.save();
  }

  async close(): Promise<void> {
    await this.worker.close();
    this.options.save();
  }

  private async runMutant(mutant: ActiveMutant, choices: Choice[]): Promise<Outcome> {
    for (const { testFile, places } of choices) {
      const outcome = await this.runWith(mutant, testFile, places);
      if (outcome === "passed") continue;
      return outcome;
    }
    const status = choices.length > 0 ? "survived" : "no coverage";
    return { result: { status, by: "", tests: this.digestOf(choices) }, killer: null };
  }

  /** Runs the places of a file, all for null, with a mutant. A failed test that needs the others decides with them. */
  private async runWith(mutant: ActiveMutant, testFile: string, places: number[] | null): Promise<Outcome | "passed"> {
    const known = this.options.state.coverage[testFile];
    const slowest = Math.max(
      0,
      ...(known?.tests ?? []).filter((_, at) => places?.includes(at) ?? true).map(({ ms }) => ms),
    );
    const timeoutMs = slowest * TIMEOUT_FACTOR + TIMEOUT_PAUSE_MS;
    const job = await this.worker.run({ testFile, only: places, mutant, timeoutMs }, known?.ms ?? 0);
    const killer = { testFile, place: job?.failedTest ?? null };
    const decided = (status: "killed" | "timed out", by: string): Outcome => ({
      result: { status, by: `${testFile}: ${by}`, tests: `${testFile} ${this.hash(testFile)}` },
      killer,
    });
    if (job === null) return decided("timed out", "the worker hung or ended");
    if (job.failed === null) return "passed";
    if (job.timedOut) {
      await this.worker.stop();
      return decided("timed out", named(job));
    }
    const isSure = places === null || killer.place === null || (await this.passesAlone(testFile, killer.place));
    return isSure ? decided("killed", named(job)) : this.runWith(mutant, testFile, null);
  }

  private async passesAlone(testFile: string, place: number): Promise<boolean> {
    const test = this.options.state.coverage[testFile]?.tests[place];
    if (!test) return false;
    test.isAlone ??= await this.passesWithout({ testFile, place });
    return test.isAlone;
  }

  private async passesWithout({ testFile, place }: FailedTest): Promise<boolean> {
    const isAlone = place !== null && this.options.state.coverage[testFile]?.tests[place]?.isAlone !== false;
    const job = await this.runWithout(testFile, isAlone ? [place] : null);
    return job !== null && job.failed === null;
  }

  private runWithout(testFile: string, only: number[] | null): Promise<JobResult | null> {
    const expectedMs = this.options.state.coverage[testFile]?.ms ?? COVERAGE_TIMEOUT_MS;
    return this.worker.run({ testFile, only, mutant: null, timeoutMs: COVERAGE_TIMEOUT_MS }, expectedMs);
  }

  private coverageOf(testFile: string, result: JobResult | null): Coverage {
    const reached: Coverage["reached"] = {};
    const places = [
      ["-1", result?.outside ?? {}],
      ...(result?.tests ?? []).map((test, place) => [`${place}`, test?.reached ?? {}]),
    ];
    for (const [place, files] of places as [string, Record<string, number[]>][]) {
      for (const [file, indexes] of Object.entries(files)) {
        reached[file] ??= { hash: this.hash(file), byPlace: {} };
        reached[file].byPlace[place] = indexes;
      }
    }
    return {
      hash: this.hash(testFile),
      ms: result?.ms ?? 0,
      failed: result ? result.failed : "the worker ended",
      tests: (result?.tests ?? []).map((test) => ({ name: test?.name ?? "", ms: test?.ms ?? 0, isAlone: null })),
      reached,
    };
  }

  private choose(file: string, mutant: Mutant): Choice[] {
    const { state, mayRun } = this.options;
    const coverage = Object.entries(state.coverage).filter(([testFile]) => mayRun(testFile));
    return chooseTests(Object.fromEntries(coverage), file, mutant);
  }

  private isCovered(testFile: string, files: string[]): boolean {
    const known = this.options.state.coverage[testFile];
    if (!known || known.failed || known.hash !== this.hash(testFile)) return false;
    return Object.entries(known.reached).every(([file, { hash }]) => !files.includes(file) || hash === this.hash(file));
  }

  private isKnown(result: MutantResult | undefined, choices: Choice[]): boolean {
    if (!result) return false;
    if (result.status === "survived" || result.status === "no coverage") return result.tests === this.digestOf(choices);
    const [testFile = "", hash] = result.tests.split(" ");
    return this.hash(testFile) === hash;
  }

  private digestOf(choices: Choice[]): string {
    const lines = choices.map(({ testFile }) => `${testFile} ${this.hash(testFile)}`);
    return digest(lines.sort().join("\n"));
  }

  private hash(path: string): string {
    const known = this.hashes.get(path) ?? hashOf(this.options.tree, path);
    this.hashes.set(path, known);
    return known;
  }

  private save(): void {
    if (Date.now() - this.savedAt < SAVE_EVERY_MS) return;
    this.savedAt = Date.now();
    this.options.save();
  }
}

function named({ failed }: JobResult): string {
  return failed?.split("\n")[0]?.slice(0, 160) ?? "";
}

function summary(results: MutantResult[]): string {
  const count = (status: string) => results.filter((one) => one.status === status).length;
  return ["killed", "timed out", "survived", "no coverage"].map((status) => `${count(status)} ${status}`).join(", ");
}
