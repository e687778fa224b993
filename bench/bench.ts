import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments, UsageError, wholeNumber } from "#tools/run/command-line.ts";
import { FIGURES_FILE, type Figure, goalText, isMissed, median, ratioOf, writeNumber } from "./figures.ts";

/**
 * `npm run bench [-- NAME …] [--runs 3] [--keep]`: runs the benches one after the other and prints one table, with the
 * median of the runs. `change` compares with the figures kept in `bench/results/kept.json`: ratios where the bench
 * measures a baseline beside it, because machines differ. `--keep` keeps these figures. Other options go to the bench.
 */

const BENCHES: Record<string, string> = {
  orders: "order-placing.ts",
  list: "order-list.ts",
  pages: "page-rendering.ts",
  "sign-in": "sign-in-time.ts",
  mail: "gmail-sync.ts",
  mailboxes: "gmail-mailboxes.ts",
  webhooks: "webhook-delivery.ts",
  catalog: "catalog-reading.ts",
  backup: "backup-and-restore.ts",
  support: "support/support-rooms.ts",
  thread: "support/long-thread.ts",
  flood: "support/visitor-flood.ts",
  engine: "engine/engine-run.ts",
  years: "years/years-run.ts",
  objects: "objects/customer-objects-run.ts",
  cpu: "cpu-time.ts",
};
/** Take half an hour, or measure what isn't the product's: run only if they are named. */
const ONLY_NAMED = ["engine", "years", "objects", "cpu"];

const NUMBERS =
  "deliveries endpoints finished hanging kills latency mailboxes minutes open orders rounds scale sockets".split(" ");
/** Options of the benches themselves: the file of each says what it means there. */
const BENCH_OPTIONS = Object.fromEntries([
  ...NUMBERS.map((name) => [name, { type: "string" }]),
  ...["many", "statements"].map((name) => [name, { type: "boolean" }]),
]) as Record<string, { type: "string" | "boolean" }>;

const USAGE = `npm run bench [-- NAME …] [--runs 3] [--keep]

Measures, and compares with the kept figures; --keep keeps these. NAME is one of ${Object.keys(BENCHES).join(", ")}.
Other options go to the benches.`;

type Kept = Record<string, Record<string, { value: number; unit: string; ratio?: number }>>;

const root = join(import.meta.dirname, "..");
const keptFile = join(import.meta.dirname, "results", "kept.json");
const { names, runs, keep, rest } = chooseBenches();
const kept = existsSync(keptFile) ? (JSON.parse(readFileSync(keptFile, "utf8")) as Kept) : {};
const folder = mkdtempSync(join(tmpdir(), "growline-figures-"));
const rows: string[][] = [["bench", "figure", "median", "baseline", "ratio", "kept", "change", "goal"]];
let failed = false;

for (const name of names) {
  const measured = Array.from({ length: runs }, (_, number) => runBench(name, number)).filter((run) => run !== null);
  const figures = medians(measured);
  failed ||= measured.length < runs || figures.some(isMissed);
  rows.push(...figures.map((figure) => rowOf(name, figure)));
  if (!keep || figures.length === 0) continue;
  kept[name] = Object.fromEntries(figures.map((figure) => [figure.name, keptOf(figure)]));
}
rmSync(folder, { recursive: true });
if (keep) writeFileSync(keptFile, `${JSON.stringify(kept, null, 2)}\n`);
printTable(rows);
process.exit(failed ? 1 : 0);

/** Returns the benches to run, and the options that are theirs. */
function chooseBenches() {
  const { values, positionals } = readArguments({
    usage: USAGE,
    options: { runs: { type: "string", default: "3" }, keep: { type: "boolean", default: false }, ...BENCH_OPTIONS },
    max: Number.POSITIVE_INFINITY,
  });
  const { runs, keep, ...others } = values;
  const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown) throw new UsageError(`There is no bench "${unknown}": ${Object.keys(BENCHES).join(", ")}.`);
  return {
    runs: wholeNumber("--runs", runs, 1),
    keep,
    names: positionals.length > 0 ? positionals : Object.keys(BENCHES).filter((name) => !ONLY_NAMED.includes(name)),
    rest: Object.entries(others).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, String(value)],
    ),
  };
}

/** Returns the figures of one run, or null if it broke off. */
function runBench(name: string, number: number): Figure[] | null {
  console.log(`\n── ${name}, run ${number + 1} of ${runs}`);
  const file = join(folder, `${name}-${number}.json`);
  const script = join(import.meta.dirname, BENCHES[name] ?? "");
  const env = { ...process.env, [FIGURES_FILE]: file };
  spawnSync(process.execPath, [script, ...rest], { cwd: root, stdio: "inherit", env });
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Figure[]) : null;
}

/** Returns each figure with the median of its value, and of its ratio if it has one. */
function medians(measured: Figure[][]): Figure[] {
  return (measured[0] ?? []).map((figure) => {
    const same = measured.flatMap((run) => run.filter(({ name }) => name === figure.name));
    const value = median(same.map((one) => one.value));
    const ratios = same.map(ratioOf).filter((ratio) => ratio !== null);
    return ratios.length === 0 ? { ...figure, value } : { ...figure, value, baseline: value / median(ratios) };
  });
}

function rowOf(bench: string, figure: Figure): string[] {
  const ratio = ratioOf(figure);
  const before = kept[bench]?.[figure.name];
  const isComparable = before !== undefined && (before.ratio === undefined) === (ratio === null);
  const [now, then] = [ratio ?? figure.value, before?.ratio ?? before?.value ?? Number.NaN];
  return [
    bench,
    figure.name,
    `${writeNumber(figure.value)} ${figure.unit}`.trim(),
    figure.baseline === undefined ? "" : writeNumber(figure.baseline),
    ratio === null ? "" : ratio.toFixed(3),
    isComparable ? String(then) : "",
    isComparable && then !== 0 ? `× ${(now / then).toFixed(2)}` : "",
    figure.goal ? goalText(figure.goal) + (isMissed(figure) ? " MISSED" : "") : "",
  ];
}

function keptOf(figure: Figure): Kept[string][string] {
  const ratio = ratioOf(figure);
  const value = Number(figure.value.toPrecision(3));
  return { value, unit: figure.unit, ...(ratio !== null && { ratio: Number(ratio.toPrecision(3)) }) };
}

function printTable(table: string[][]): void {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  console.log();
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column < 2 || column === 7 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join("  ").trimEnd());
  }
}
