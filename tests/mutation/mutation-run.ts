import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ActiveMutant } from "./active-mutant.ts";
import type { JobResult } from "./mutant-runner.ts";
import { type Mutant, mutate } from "./mutants.ts";
import { digest, hashOf, type MutantResult, type MutationState } from "./mutation-state.ts";
import { isTarget } from "./targets.ts";
import { TestWorker } from "./test-worker.ts";

/** A mutant runs in the nearest test files that reach it, until they have taken this long. */
const MAX_TESTS_MS = 20_000;
const MAX_TEST_FILES = 10;
/** A test may take this many times as long with a mutant, and the pause on top, before it has timed out. */
const TIMEOUT_FACTOR = 5;
const TIMEOUT_PAUSE_MS = 5_000;
const COVERAGE_TIMEOUT_MS = 60_000;
/** Kills that are trusted before a run without a mutant has shown that none of them broke the worker for the next. */
const KILLS_PER_CONTROL = 25;
const SAVE_EVERY_MS = 5_000;

type Options = { tree: string; state: MutationState; tests: string[]; until: number; save: () => void };

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

  /** Records what each test file reaches, unless nothing has changed since. */
  async cover(): Promise<void> {
    const { state, tests } = this.options;
    for (const known of Object.keys(state.coverage)) if (!tests.includes(known)) delete state.coverage[known];
    const stale = tests.filter((file) => !this.isCovered(file));
    for (const [at, testFile] of stale.entries()) {
      if (Date.now() > this.options.until) return;
      const result = await this.worker.run(
        { testFile, mutant: null, timeoutMs: COVERAGE_TIMEOUT_MS },
        COVERAGE_TIMEOUT_MS,
      );
      const reached = Object.entries(result?.reached ?? {}).map(([file, indexes]) => [
        file,
        { hash: this.hash(file), indexes },
      ]);
      const failed = result ? result.failed : "the worker ended";
      const { ms = 0, slowestMs = 0 } = result ?? {};
      state.coverage[testFile] = {
        hash: this.hash(testFile),
        ms,
        slowestMs,
        failed,
        reached: Object.fromEntries(reached),
      };
      console.log(
        `${at + 1}/${stale.length} ${testFile}${failed ? `: left out, it fails without a mutant: ${failed}` : ""}`,
      );
      this.save();
    }
  }

  async runFile(file: string): Promise<void> {
    const { tree, state } = this.options;
    const { mutants } = mutate(file, readFileSync(join(tree, file), "utf8"));
    const hash = this.hash(file);
    const known = state.results[file];
    const results = known?.hash === hash ? known.mutants : {};
    state.results[file] = { hash, mutants: results };
    let waiting = mutants.filter((mutant) => !this.isKnown(results[mutant.index], this.testsFor(file, mutant)));
    const total = waiting.length;
    let trusted = KILLS_PER_CONTROL;
    while (waiting.length > 0 && Date.now() < this.options.until) {
      const kills: Mutant[] = [];
      let killer = "";
      while (waiting.length > 0 && kills.length < trusted && Date.now() < this.options.until) {
        const mutant = waiting.shift() as Mutant;
        const tests = this.testsFor(file, mutant);
        const { result, lastTest } = await this.runMutant(
          { file, index: mutant.index, isStatic: mutant.isStatic },
          tests,
        );
        results[mutant.index] = result;
        this.save();
        if (result.status !== "killed") continue;
        kills.push(mutant);
        killer = lastTest;
      }
      if (kills.length > 0 && !(await this.passesWithout(killer))) {
        // One of them left the worker broken. They run again, in shorter series.
        console.log(`${file}: ${killer} fails without a mutant; ${kills.length} kills run again in a new worker`);
        await this.worker.stop();
        for (const { index } of kills) delete results[index];
        waiting = [...kills, ...waiting];
        trusted = Math.max(1, Math.floor(trusted / 5));
      }
    }
    if (total > 0) console.log(`${file}: ${summary(Object.values(results))}`);
    this.options.save();
  }

  async close(): Promise<void> {
    await this.worker.close();
    this.options.save();
  }

  private async runMutant(mutant: ActiveMutant, tests: string[]): Promise<{ result: MutantResult; lastTest: string }> {
    for (const testFile of tests) {
      const known = this.options.state.coverage[testFile];
      const timeoutMs = (known?.slowestMs ?? 0) * TIMEOUT_FACTOR + TIMEOUT_PAUSE_MS;
      const outcome = await this.worker.run({ testFile, mutant, timeoutMs }, known?.ms ?? 0);
      if (outcome === null) return ended(testFile, "the worker hung or ended", this.hash(testFile));
      if (outcome.failed === null) continue;
      if (outcome.timedOut) await this.worker.stop();
      const status = outcome.timedOut ? ("timed out" as const) : ("killed" as const);
      return {
        result: { status, by: `${testFile}: ${named(outcome)}`, tests: `${testFile} ${this.hash(testFile)}` },
        lastTest: testFile,
      };
    }
    const status = tests.length > 0 ? "survived" : "no coverage";
    return { result: { status, by: "", tests: this.digestOf(tests) }, lastTest: "" };
  }

  private async passesWithout(testFile: string): Promise<boolean> {
    const known = this.options.state.coverage[testFile];
    const outcome = await this.worker.run({ testFile, mutant: null, timeoutMs: COVERAGE_TIMEOUT_MS }, known?.ms ?? 0);
    return outcome !== null && outcome.failed === null;
  }

  /** Lists the test files that reach a mutant, nearest first. */
  private testsFor(file: string, { index, isStatic }: Mutant): string[] {
    const { coverage } = this.options.state;
    const reaching = Object.entries(coverage).filter(([testFile, { failed, reached }]) => {
      if (failed) return false;
      const there = reached[file]?.indexes ?? [];
      return isStatic ? there.length > 0 || dirname(testFile) === dirname(file) : there.includes(index);
    });
    const sorted = reaching
      .map(([testFile, { ms }]) => ({ testFile, ms, distance: distance(file, testFile) }))
      .sort((one, other) => one.distance - other.distance || one.ms - other.ms);
    let spent = 0;
    return sorted
      .filter(({ ms }, at) => {
        spent += ms;
        return at === 0 || (at < MAX_TEST_FILES && spent - ms < MAX_TESTS_MS);
      })
      .map(({ testFile }) => testFile);
  }

  private isCovered(testFile: string): boolean {
    const known = this.options.state.coverage[testFile];
    if (!known || known.failed || known.hash !== this.hash(testFile)) return false;
    return Object.entries(known.reached).every(([file, { hash }]) => !isTarget(file) || hash === this.hash(file));
  }

  private isKnown(result: MutantResult | undefined, tests: string[]): boolean {
    if (!result) return false;
    if (result.status === "survived" || result.status === "no coverage") return result.tests === this.digestOf(tests);
    const [testFile = "", hash] = result.tests.split(" ");
    return this.hash(testFile) === hash;
  }

  private digestOf(tests: string[]): string {
    return digest(tests.map((test) => `${test} ${this.hash(test)}`).join("\n"));
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

function ended(testFile: string, why: string, hash: string): { result: MutantResult; lastTest: string } {
  return {
    result: { status: "timed out", by: `${testFile}: ${why}`, tests: `${testFile} ${hash}` },
    lastTest: testFile,
  };
}

function named({ failed }: JobResult): string {
  return failed?.split("\n")[0]?.slice(0, 160) ?? "";
}

/** Orders test files by how near they are to a source: its own, its folder's, its domain's, all others. */
function distance(file: string, testFile: string): number {
  const stem = (path: string) => basename(path).replace(/(\.server)?(\.node)?(\.test)?\.ts$/, "");
  if (dirname(testFile) === dirname(file)) return stem(testFile) === stem(file) ? 0 : 1;
  return testFile.startsWith(`${file.split("/").slice(0, 2).join("/")}/`) ? 2 : 3;
}

function summary(results: MutantResult[]): string {
  const count = (status: string) => results.filter((one) => one.status === status).length;
  return ["killed", "timed out", "survived", "no coverage"].map((status) => `${count(status)} ${status}`).join(", ");
}
