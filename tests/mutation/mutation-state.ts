import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Status = "killed" | "timed out" | "survived" | "no coverage";

/** `by` is the test that failed, or what ended the run. `tests` says which tests ran, with their contents' hashes. */
export type MutantResult = { status: Status; by: string; tests: string };

/** What a test file reaches without a mutant. It is out of date if the test or a file that it reaches has changed. */
export type Coverage = {
  hash: string;
  ms: number;
  slowestMs: number;
  failed: string | null;
  reached: Record<string, { hash: string; indexes: number[] }>;
};

export type MutationState = {
  coverage: Record<string, Coverage>;
  results: Record<string, { hash: string; mutants: Record<number, MutantResult> }>;
};

export function readState(file: string): MutationState {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as MutationState) : { coverage: {}, results: {} };
}

export function writeState(file: string, state: MutationState): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

export function hashOf(root: string, path: string): string {
  return existsSync(join(root, path)) ? digest(readFileSync(join(root, path), "utf8")) : "";
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
