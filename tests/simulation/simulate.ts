import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { readArguments, UsageError, wholeNumber } from "#tools/run/command-line.ts";
import { memoryFolder } from "#tools/run/memory-folder.ts";
import type { Violation } from "./oracles/violation.ts";
import { buildSimulated } from "./product/simulated-product.ts";
import { NIGHTLY, PROFILES, type ProfileName } from "./scripts/profiles.ts";
import type { Script } from "./scripts/script.ts";
import { shrinkScript } from "./scripts/shrink-script.ts";
import { writeScript } from "./scripts/write-script.ts";
import { type RunResult, runScript } from "./world/run-script.ts";

/**
 * `npm run simulate [-- --seed N --seeds M --minutes R --profile tiny|short|day|quiet|week|support|dialects|soak]`: starts the real build
 * and a world around it, lives through a script drawn from the seed, and judges the product by what the world knows.
 * After `--minutes` of real time a world's people do no more, all faults end, and it is judged. `--kept` runs the kept scripts, too. `--nightly` runs so many
 * days that each behavior is drawn at least 100 times, and says which was not.
 *
 * A violation prints its seed, and keeps its script and all violations whole: `--script FILE` runs that again, `--replays N`
 * so many times, and `--shrink` makes it smaller first. `--tree PATH` simulates another commit's worktree.
 */

const USAGE = `npm run simulate [-- OPTIONS]

Lives a simulated day with failing providers, people and platform on the real build, and judges what is left.

  --seed N --seeds M     the first seed, and how many
  --profile NAME         ${Object.keys(PROFILES).join(", ")}
  --minutes R            ends all faults after that time
  --kept                 runs the kept scripts, too
  --nightly              runs so many days that each behavior is drawn often
  --script FILE          runs that script, --replays N so many times
  --shrink               makes a failing script smaller
  --tree PATH            simulates another commit's worktree`;

const { values: options } = readArguments({
  usage: USAGE,
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    seeds: { type: "string" },
    profile: { type: "string", default: "short" },
    minutes: { type: "string" },
    script: { type: "string" },
    kept: { type: "boolean", default: false },
    nightly: { type: "boolean", default: false },
    replays: { type: "string", default: "1" },
    shrink: { type: "boolean", default: false },
    tree: { type: "string", default: join(import.meta.dirname, "..", "..") },
  },
});
const replays = wholeNumber("--replays", options.replays, 1);
const firstSeed = wholeNumber("--seed", options.seed);
const KEPT = join(import.meta.dirname, "scripts", "kept");
const MAX_SHRINK_RUNS = 40;
const SHOWN_PER_RULE = 2;
const SHOWN_CHARACTERS = 1500;

const tree = resolve(options.tree);
const wanted = scripts();
const folder = mkdtempSync(join(tmpdir(), "growline-world-"));
/** Results with violations, which are printed last. */
const broken: { name: string; violations: Violation[]; base: string }[] = [];
/** Counts of each drawn behavior in all runs. */
const drawn = new Map<string, number>();
await buildSimulated(tree);
for (const { name, script } of wanted) {
  for (let replay = 0; replay < replays; replay++) {
    const base = join(folder, name.replaceAll(/\W+/g, "-"));
    const result = await live(script, `${base}-state-${replay}`);
    report(name, result);
    for (const [behavior, count] of result.drawn) drawn.set(behavior, (drawn.get(behavior) ?? 0) + count);
    if (result.violations.length === 0) continue;
    const file = `${base}.json`;
    writeFileSync(file, textOf(script));
    writeFileSync(`${base}-violations.json`, JSON.stringify(result.violations, null, 1));
    broken.push({ name, violations: result.violations, base });
    if (options.shrink) await shrink(script, result.violations, file);
  }
}
if (options.nightly) reportCoverage();
for (const result of broken) reportViolations(result);
if (broken.length === 0) rmSync(folder, { recursive: true });
// A pipe takes the output later.
await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
process.exit(broken.length > 0 ? 1 : 0);

function scripts(): { name: string; script: Script }[] {
  const read = (file: string) => ({ name: basename(file), script: JSON.parse(readFileSync(file, "utf8")) as Script });
  if (options.script) return [read(options.script)];
  const kept = options.kept ? readdirSync(KEPT).map((name) => read(join(KEPT, name))) : [];
  const given = wholeNumber("--seeds", options.seeds ?? (options.kept ? "0" : "1"));
  const seeds = options.nightly ? NIGHTLY.seeds : given;
  const profile = options.nightly ? NIGHTLY.profile : options.profile;
  if (!Object.hasOwn(PROFILES, profile))
    throw new UsageError(`There is no profile "${profile}": ${Object.keys(PROFILES).join(", ")}.`);
  const fresh = Array.from({ length: seeds }, (_, n) => {
    const seed = firstSeed + n;
    return { name: `seed ${seed}`, script: writeScript(seed, profile as ProfileName) };
  });
  return [...kept, ...fresh];
}

/** Lives a script. The product's files are kept in `keptAs` if it broke a rule. */
async function live(script: Script, keptAs?: string): Promise<RunResult> {
  // A kill ends the process and not the machine, so that nothing is learned from the disk's confirmation of each write.
  const stateDir = mkdtempSync(join(memoryFolder() ?? tmpdir(), "growline-world-"));
  const minutes = options.minutes === undefined ? undefined : Number(options.minutes);
  try {
    const result = await runScript({ tree, stateDir, script, minutes });
    if (keptAs !== undefined && result.violations.length > 0) cpSync(stateDir, keptAs, { recursive: true });
    return result;
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** Keeps the smallest script found that still breaks the rule that was broken first. */
async function shrink(script: Script, [first]: Violation[], file: string): Promise<void> {
  if (!first) return;
  const breaks = async (candidate: Script) => {
    const { violations } = await live(candidate);
    return violations.some(({ rule }) => rule === first.rule);
  };
  const smaller = await shrinkScript(script, breaks, MAX_SHRINK_RUNS);
  writeFileSync(file, textOf(smaller));
  console.log(`"${first.rule}" still breaks with ${smaller.events.length} of ${script.events.length} events`);
}

function report(name: string, { violations, orders, messages, realMs, happened }: RunResult): void {
  const seconds = (realMs / 1000).toFixed(0);
  console.log(`${name}: ${orders} orders, ${messages} messages, ${seconds} s, ${violations.length} violations`);
  // A run of the kept scripts is one of many steps, whose log is read by its end.
  if (!options.kept) console.log(`  ${[...happened].map(([what, count]) => `${what}: ${count}`).join(", ")}`);
}

function reportViolations({ name, violations, base }: (typeof broken)[number]): void {
  console.log(`\n${name}: ${violations.length} violations`);
  for (const [rule, found] of Map.groupBy(violations, (violation) => violation.rule)) {
    console.log(`\n  ${rule}: ${found.length}`);
    for (const { subject, world, product } of found.slice(0, SHOWN_PER_RULE)) {
      console.log(`    ${subject}\n      world   ${shown(world)}\n      product ${shown(product)}`);
    }
  }
  console.log(`its script: ${base}.json, and all violations: ${base}-violations.json`);
}

function shown(view: unknown): string {
  const text = JSON.stringify(view) ?? "nothing";
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** Prints how often each behavior was drawn, rarest first. */
function reportCoverage(): void {
  const counts = [...drawn].sort(([, a], [, b]) => a - b);
  const rare = counts.filter(([, count]) => count < NIGHTLY.drawnAtLeast).map(([behavior]) => behavior);
  console.log(`\ndrawn ${counts.map(([behavior, count]) => `${behavior}: ${count}`).join(", ")}`);
  console.log(`drawn less than ${NIGHTLY.drawnAtLeast} times: ${rare.join(", ") || "none"}`);
}

/** Returns the script as JSON with a line for each event, so that a kept one can be read and compared. */
function textOf({ events, ...rest }: Script): string {
  const lines = events.map((event) => JSON.stringify(event)).join(",\n");
  return `${JSON.stringify(rest).slice(0, -1)},"events":[\n${lines}\n]}\n`;
}
