import { workerdMemory } from "#tests/product/workerd-memory.ts";
import type { StatementCost } from "../product/faulty-database.ts";
import type { SimulatedProduct } from "../product/simulated-product.ts";
import type { Violation } from "./violation.ts";

/** Resources in use at one time. Memory in bytes, of the workerd processes. */
type Sample = { memory: number };
export type ResourceWatch = { take(): Promise<void>; judge(): Violation[] };

const SAMPLE_EVERY_MS = 30_000;
/** No operation needs more rows than a long list or export page, however long the history. */
const ROWS_AT_MOST = 5000;
const OTHER_LIMITS: { query: RegExp; rows: number; reason: string }[] = [
  {
    query: /^insert into "ledger_faults"/,
    rows: 60_000,
    reason: "a nightly step reads five rows for each of 10,000 entries",
  },
];
/** The garbage collector takes its time. */
const GROWTH_AT_MOST = 1.5;
const SLACK_BYTES = 150 * 1024 * 1024;
const SAMPLES_TO_COMPARE = 12;

/** Watches what statements read and how much memory workerd has, so that neither grows with the history or the run. */
export function watchResources(product: SimulatedProduct): ResourceWatch {
  const samples: Sample[] = [];
  const worst = new Map<string, StatementCost>();
  let nextAt = 0;
  return {
    async take() {
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + SAMPLE_EVERY_MS;
      samples.push({ memory: workerdMemory() });
      for (const [query, cost] of await product.costs()) {
        if (cost.most > (worst.get(query)?.most ?? 0)) worst.set(query, cost);
      }
    },
    judge: () => [...judgeStatements(worst), ...judgeMemory(samples)],
  };
}

function judgeStatements(worst: Map<string, StatementCost>): Violation[] {
  return [...worst].flatMap(([query, cost]) => {
    const rowsAtMost = OTHER_LIMITS.find((limit) => limit.query.test(query))?.rows ?? ROWS_AT_MOST;
    if (cost.most <= rowsAtMost) return [];
    const rule = "no statement reads more rows than a long list has";
    return [{ rule, subject: query.slice(0, 300), world: { rowsAtMost }, product: cost }];
  });
}

function judgeMemory(samples: Sample[]): Violation[] {
  if (samples.length < SAMPLES_TO_COMPARE) return [];
  const third = Math.floor(samples.length / 3);
  const before = median(samples.slice(third, 2 * third).map(({ memory }) => memory));
  const after = median(samples.slice(2 * third).map(({ memory }) => memory));
  if (after <= before * GROWTH_AT_MOST + SLACK_BYTES) return [];
  return [{ rule: "memory doesn't grow over the run", subject: "workerd", world: { before }, product: { after } }];
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
