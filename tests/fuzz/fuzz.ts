import { join } from "node:path";
import { readArguments, wholeNumber } from "#tools/run/command-line.ts";
import { curlOf } from "./cases/curl.ts";
import type { FuzzCase } from "./cases/fuzz-case.ts";
import { shrinkCase } from "./cases/shrink-case.ts";
import { buildFuzzed } from "./product/fuzzed-copy.ts";
import { breaksRule, caseOf, type Finding, newTally, runCases } from "./run-cases.ts";
import { readSurface } from "./surface/surface.ts";
import { CallerGone } from "./world/fuzz-callers.ts";
import { type FuzzWorld, openWorld } from "./world/fuzz-world.ts";

/**
 * `npm run fuzz [-- --seed N --cases N --from N --routes PATTERN]`: sends cases drawn from the seed to every route and
 * socket of the built product, as every kind of caller, and judges each response, the rows it changed and the log. A
 * failing case is sent again alone, made smaller and printed as a command. The same seed and number are the same case,
 * so `--from` continues a run, and several machines share one.
 */

const USAGE = `npm run fuzz [-- --seed N --cases N --from N --connections N --routes PATTERN]

Sends generated requests and frames to every route and socket as every caller. The same seed and number are the same
case: --from continues a run.`;

const { values: options } = readArguments({
  usage: USAGE,
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    cases: { type: "string", default: "100000" },
    from: { type: "string", default: "0" },
    connections: { type: "string", default: "8" },
    routes: { type: "string", default: "" },
  },
});
const root = join(import.meta.dirname, "..", "..");
/** Cases after which the changes and the log are read and ended sessions are opened again. */
const BLOCK = 250;
/** Cases for one copy of the product: its lists grow with every accepted case. */
const CASES_PER_WORLD = 10_000;
const SHOWN_PER_RULE = 10;

const seed = wholeNumber("--seed", options.seed);
const from = wholeNumber("--from", options.from);
const end = from + wholeNumber("--cases", options.cases, 1);
const connections = wholeNumber("--connections", options.connections, 1);
const tally = newTally();
const shown = new Map<string, number>();
let findings = 0;

const surface = await readSurface(root);
const bundle = await buildFuzzed(root);
console.log(`seed ${seed}, cases ${from} to ${end - 1}`);
for (let next = from; next < end; ) next = await runWorld(next, Math.min(end, next + CASES_PER_WORLD));

const counts = [...tally.statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
console.log(`seed ${seed}, ${tally.sent} responses: ${counts.join(", ")}`);
const unreached = surface.routes.filter(({ pattern }) => !tally.routes.has(pattern)).map(({ pattern }) => pattern);
if (unreached.length > 0) console.log(`not reached: ${unreached.join(" ")}`);
console.log(findings === 0 ? "No violation." : `${findings} violations`);
process.exit(findings === 0 ? 0 : 1);

/** Runs cases on a new copy and returns the number of the first one that did not run. */
async function runWorld(first: number, last: number): Promise<number> {
  const world = await openWorld(bundle, surface);
  try {
    for (let at = first; at < last; at += BLOCK) {
      const numbers = Array.from({ length: Math.min(BLOCK, last - at) }, (_, offset) => at + offset);
      const cases = numbers
        .map((number) => caseOf(seed, number, world.source))
        .filter(({ route }) => route.includes(options.routes));
      for (const finding of await runCases(world, cases, { connections, tally })) await report(world, finding);
      try {
        await world.callers.restore();
      } catch (error) {
        if (!(error instanceof CallerGone)) throw error;
        console.log(`${error.message}: case ${at + BLOCK} starts on a new copy`);
        return at + BLOCK;
      }
      if ((at + BLOCK) % 2000 === 0) console.log(`${at + BLOCK} of ${end}, ${findings} violations`);
    }
    return last;
  } finally {
    await world.copy.remove();
  }
}

async function report(world: FuzzWorld, { rule, text, fuzzCase }: Finding): Promise<void> {
  findings++;
  const key = `${rule} ${fuzzCase.route} ${rule === "log" ? text.slice(40, 200) : text.replaceAll(/\d+/g, "")}`;
  const known = shown.get(key) ?? 0;
  shown.set(key, known + 1);
  if (known > 0 || shown.size > SHOWN_PER_RULE * 10) return;
  const fails = (candidate: FuzzCase) => breaksRule(world, candidate, rule);
  const repeats = await fails(fuzzCase);
  const smallest = repeats ? await shrinkCase(fuzzCase, fails) : fuzzCase;
  console.log(`\n${rule}: case ${fuzzCase.number} of seed ${seed}, ${fuzzCase.route} as ${fuzzCase.caller}: ${text}`);
  console.log(repeats ? "again when sent alone; made smaller:" : "not again when sent alone:");
  for (const frame of smallest.frames ?? []) console.log(`frame ${JSON.stringify(frame.toString()).slice(0, 1000)}`);
  if (!smallest.frames) console.log(curlOf(world.authorized(smallest), world.copy.url).slice(0, 4000));
}
