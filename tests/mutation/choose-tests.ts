import { basename, dirname } from "node:path";
import type { Mutant } from "./mutants.ts";
import type { Coverage } from "./mutation-state.ts";

/** A mutant runs in the nearest tests that reach it, until they have taken this long. */
const MAX_TESTS_MS = 8_000;
/** Tests of its own test file come first. They have this long, and leave the others their time. */
const MAX_OWN_TESTS_MS = 12_000;
const MAX_TESTS = 80;

const ELSEWHERE = 3;

/** Tests of one file, by their places in it. */
export type Choice = { testFile: string; places: number[] };

/** Returns the tests to run for a mutant, nearest first, and of those equally near the fastest first. */
export function chooseTests(coverage: Record<string, Coverage>, file: string, mutant: Mutant): Choice[] {
  let reaching = testsWhere(coverage, file, (covered) => placesReaching(covered, file, mutant));
  // A constant is reached once, where it loads, whoever reads it later.
  if (mutant.isStatic) {
    const all = testsWhere(coverage, file, ({ failed, tests }) => (failed ? [] : [...tests.keys()]));
    const readers = all.filter(({ distance }) => distance === 0 || (reaching.length === 0 && distance < ELSEWHERE));
    const known = new Set(reaching.map(({ testFile, place }) => `${testFile} ${place}`));
    reaching = [...reaching, ...readers.filter(({ testFile, place }) => !known.has(`${testFile} ${place}`))];
  }
  reaching.sort((one, other) => one.distance - other.distance || one.ms - other.ms);
  const chosen = new Map<string, number[]>();
  const spent = { own: 0, others: 0 };
  for (const { testFile, place, ms, distance } of reaching.slice(0, MAX_TESTS)) {
    const kind = distance === 0 ? "own" : "others";
    const most = distance === 0 ? MAX_OWN_TESTS_MS : MAX_TESTS_MS;
    if (chosen.size > 0 && spent[kind] + ms > most) continue;
    spent[kind] += ms;
    chosen.set(testFile, [...(chosen.get(testFile) ?? []), place]);
  }
  return [...chosen].map(([testFile, places]) => ({ testFile, places }));
}

function testsWhere(coverage: Record<string, Coverage>, file: string, placesOf: (covered: Coverage) => number[]) {
  return Object.entries(coverage).flatMap(([testFile, covered]) =>
    placesOf(covered).map((place) => ({
      testFile,
      place,
      ms: covered.tests[place]?.ms ?? 0,
      distance: distance(file, testFile),
    })),
  );
}

/** A mutant that takes effect when the module loads is reached by every test that reaches the module. */
function placesReaching({ failed, tests, reached }: Coverage, file: string, { index, isStatic }: Mutant): number[] {
  const there = reached[file]?.byPlace;
  if (failed || !there) return [];
  const isReached = (place: string | number) =>
    isStatic ? (there[place]?.length ?? 0) > 0 : (there[place]?.includes(index) ?? false);
  const inTests = [...tests.keys()].filter(isReached);
  return inTests.length === 0 && !isStatic && isReached(-1) ? [...tests.keys()] : inTests;
}

/** Orders test files by how near they are to a source: its own, its folder's, its domain's in app or workers, all others. */
function distance(file: string, testFile: string): number {
  const stem = (path: string) => basename(path).replace(/(\.server)?(\.node)?(\.test)?\.ts$/, "");
  if (dirname(testFile) === dirname(file)) return stem(testFile) === stem(file) ? 0 : 1;
  return testFile.split("/")[1] === file.split("/")[1] ? 2 : ELSEWHERE;
}
