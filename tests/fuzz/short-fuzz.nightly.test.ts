import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFuzzed } from "./product/fuzzed-copy.ts";
import { caseOf, newTally, runCases } from "./run-cases.ts";
import { readSurface } from "./surface/surface.ts";
import { type FuzzWorld, openWorld } from "./world/fuzz-world.ts";

const root = join(import.meta.dirname, "..", "..");
const SEED = 1;
const CASES = 500;
let world: FuzzWorld;

beforeAll(async () => {
  const surface = await readSurface(root);
  world = await openWorld(await buildFuzzed(root), surface);
}, 420_000);
afterAll(() => world?.copy.remove(), 30_000);

test("finds an address of every route that has a parameter", () => {
  const { surface, pathsOf } = world.source;
  const withParameter = surface.routes.filter(({ pattern }) => pattern.includes(":"));
  expect(withParameter.filter(({ pattern }) => pathsOf(pattern).length === 0).map(({ pattern }) => pattern)).toEqual(
    [],
  );
});

test(`sends ${CASES} cases without a violation`, async () => {
  const tally = newTally();
  const cases = Array.from({ length: CASES }, (_, number) => caseOf(SEED, number, world.source));
  const findings = await runCases(world, cases, { connections: 4, tally });
  expect(findings.map(({ rule, text, fuzzCase }) => `${rule} ${fuzzCase.number} ${fuzzCase.route}: ${text}`)).toEqual(
    [],
  );
  expect(tally.sent).toBe(CASES);
  // Cases get past the first check, too.
  expect(tally.statuses.get(200)).toBeGreaterThan(CASES / 10);
}, 420_000);
