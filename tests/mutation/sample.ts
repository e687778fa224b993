import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mutate } from "./mutants.ts";

export type Sample = (file: string, index: number) => boolean;

/**
 * Returns whether a mutant is each `every`-th of these files, counted over all of them: counted anew in each file, its
 * first line, often a constant, would always be among them. Always the same ones for the same files.
 */
export function sampleOf(root: string, files: string[], every: number): Sample {
  const firsts = new Map<string, number>();
  let count = 0;
  for (const file of files) {
    firsts.set(file, count);
    if (every > 1) count += mutate(file, readFileSync(join(root, file), "utf8")).mutants.length;
  }
  return (file, index) => ((firsts.get(file) ?? 0) + index) % every === 0;
}
