import type { Verdict } from "./engine-oracle.ts";

/** Rows read and written, by query. */
export type Statements = Map<string, { rowsRead: number; rowsWritten: number }>;
/** Measurements and verdict of one run. Times are ms, memory bytes. */
export type Result = {
  acceptedMs: Record<"healthy" | "slow", number[]>;
  /** Orders that are still queued. */
  waiting: { dead: number; others: number };
  oldestMs: { recent: number; older: number };
  rows: { read: number; written: number };
  statements: Statements;
  memory: number;
  retries: number;
  verdict: Verdict;
  ledger: string | null;
};

/** Prints one column per run, each with its name. */
export function printTable(title: string, results: [string, Result][], withStatements: boolean): void {
  const lines: [string, (result: Result) => string][] = [
    ["placed to accepted, healthy: median, p95, max", ({ acceptedMs }) => spread(acceptedMs.healthy)],
    ["placed to accepted, slow and flapping", ({ acceptedMs }) => spread(acceptedMs.slow)],
    [
      "accepted, healthy / slow and flapping",
      ({ acceptedMs: { healthy, slow } }) => `${healthy.length} / ${slow.length}`,
    ],
    ["still queued, dead provider / others", ({ waiting }) => `${waiting.dead} / ${waiting.others}`],
    ["oldest status, orders under an hour old", ({ oldestMs }) => `${seconds(oldestMs.recent)} s`],
    ["oldest status, older orders", ({ oldestMs }) => `${seconds(oldestMs.older)} s`],
    ["rows read a minute", ({ rows }) => Math.round(rows.read).toLocaleString("en")],
    ["rows written a minute", ({ rows }) => Math.round(rows.written).toLocaleString("en")],
    ["memory of workerd, at most", ({ memory }) => `${Math.round(memory / 2 ** 20)} MB`],
    ["requests repeated", ({ retries }) => String(retries)],
    ["held: the provider failed the call", ({ verdict }) => String(verdict.held.failed)],
    ["held: cut off, the provider has it", ({ verdict }) => String(verdict.held.arrived)],
    ["held: cut off, the provider does not have it", ({ verdict }) => String(verdict.held.cutOff)],
    ...Object.keys(results[0]?.[1].verdict.broken ?? {}).map((rule): [string, (result: Result) => string] => [
      rule,
      ({ verdict }) => String(verdict.broken[rule]),
    ]),
    ["ledger", ({ ledger }) => (ledger === null ? "clean" : "BROKEN")],
  ];
  console.log(`\n${title}\n`);
  const row = (label: string, cells: string[]) => label.padEnd(52) + cells.map((cell) => cell.padStart(26)).join("");
  console.log(
    row(
      "",
      results.map(([name]) => name),
    ),
  );
  for (const [label, of] of lines)
    console.log(
      row(
        label,
        results.map(([, result]) => of(result)),
      ),
    );
  for (const [name, { ledger, statements }] of results) {
    if (ledger) console.log(`\n${name}\n${ledger}`);
    if (withStatements) console.log(`\n${name}, rows read and written in all\n${costliest(statements)}`);
  }
}

function costliest(statements: Statements): string {
  return [...statements]
    .sort(([, one], [, other]) => other.rowsRead + other.rowsWritten - one.rowsRead - one.rowsWritten)
    .slice(0, 15)
    .map(
      ([query, { rowsRead, rowsWritten }]) =>
        `${rowsRead} / ${rowsWritten}  ${query.replaceAll(/\s+/g, " ").slice(0, 200)}`,
    )
    .join("\n");
}

/** Median, 95th percentile and maximum. */
function spread(sorted: number[]): string {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [0.5, 0.95, 1].map((share) => `${(at(share) / 1000).toFixed(2)} s`).join(", ");
}

/** Writes milliseconds as seconds with one decimal. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
