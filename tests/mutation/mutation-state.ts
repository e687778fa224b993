import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mutate } from "./mutants.ts";
import { isTarget } from "./targets.ts";

export type Status = "killed" | "timed out" | "survived" | "no coverage";

/** `by` is the test that failed, or what ended the run. `tests` says which tests ran, with their contents' hashes. */
export type MutantResult = { status: Status; by: string; tests: string };

/** `isAlone`: whether the test passes without the others of its file. Null until that matters. */
export type CoveredTest = { name: string; ms: number; isAlone: boolean | null };

/**
 * Mutants that the tests of a file reach: by source, the mutants that each test reaches, by its place. Those of
 * place -1 are reached outside the tests. Out of date if the test or a source has changed.
 */
export type Coverage = {
  hash: string;
  ms: number;
  failed: string | null;
  tests: CoveredTest[];
  reached: Record<string, { hash: string; byPlace: Record<string, number[]> }>;
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

/** Returns the hash of a file, for a source with all of its mutants. "" if there is no such file. */
export function hashOf(root: string, path: string): string {
  if (!existsSync(join(root, path))) return "";
  const text = readFileSync(join(root, path), "utf8");
  return digest(isTarget(path) ? mutate(path, text).code : text);
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
