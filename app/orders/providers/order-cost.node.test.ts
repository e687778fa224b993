import { expect, test } from "vitest";
import { PANEL_API_V2 } from "./conventions/panel-api-v2.ts";
import { costAfter, costByRate, UNKNOWN } from "./order-cost.ts";
import { parseAmount } from "./reading/answer-numbers.ts";
import { NOTHING_TAUGHT } from "./reading/reader.ts";
import { readStates } from "./reading/states-answer.ts";

const ORDER = { quantity: 1000, runs: 1, type: "Default" } as const;

test("computes a cost from the provider's rate, rounded up, and of a package once", () => {
  expect(costByRate(ORDER, 450_000)).toEqual({ cost: 450_000, costIsReported: false });
  expect(costByRate({ ...ORDER, quantity: 1, runs: 3 }, 1)).toEqual({ cost: 1, costIsReported: false });
  expect(costByRate({ ...ORDER, quantity: 1001 }, 1)).toEqual({ cost: 2, costIsReported: false });
  expect(costByRate({ ...ORDER, runs: 7 }, 450_000).cost).toBe(3_150_000);
  expect(costByRate({ quantity: 1, runs: 1, type: "Package" }, 12_000_000).cost).toBe(12_000_000);
  expect(costByRate(ORDER, 0)).toEqual({ cost: 0, costIsReported: false });
});

test("knows no cost without a rate, and none that no order can have", () => {
  expect(costByRate(ORDER, null)).toEqual(UNKNOWN);
  expect(costByRate({ ...ORDER, quantity: 2_000_000_000 }, 9e15)).toEqual(UNKNOWN);
  expect(costByRate(ORDER, 1_000_000_000_001)).toEqual(UNKNOWN);
});

test("reads a charge by its digits, to the micro-unit", () => {
  const charges: [unknown, number][] = [
    ["0.45", 450_000],
    [" 0.27819 ", 278_190],
    ["100.84292", 100_842_920],
    [0.1, 100_000],
    [0.1 + 0.2, 300_000],
    // As a float, 4.35 * 1,000,000 is 4,349,999.999….
    ["4.35", 4_350_000],
    ["1.0000005", 1_000_001],
    ["1.00000049", 1_000_000],
    ["0.0000004", 0],
    [1e-7, 0],
    [2.5e-5, 25],
    ["1.5e2", 150_000_000],
    ["1E+1", 10_000_000],
    ["1,250.50", 1_250_500_000],
    ["1,234,567.5", 1_234_567_500_000],
    ["$0.45", 450_000],
    ["0.45 USD", 450_000],
    ["1,5", 1_500_000],
    ["-1", -1_000_000],
    ["0", 0],
    ["0.00000", 0],
    [7, 7_000_000],
    ["000012", 12_000_000],
  ];
  for (const [text, micro] of charges) expect(parseAmount(text), String(text)).toBe(micro);
});

test("reads no amount from text, commas that may be decimals, and what is too much", () => {
  const odd = ["free", "", " ", "0,450", "1,250", "12,34.5", ".5", "5.", "1e99"];
  const others = [1e300, 1e21, "99999999999999999999", "1e999", Number.NaN, Number.POSITIVE_INFINITY, null, undefined];
  for (const value of [...odd, ...others, {}, [], ["1"], true]) expect(parseAmount(value), String(value)).toBeNull();
});

const OPEN = { cost: 450_000, costIsReported: false, quantity: 1000, runs: 1 } as const;
const reported = (entry: Record<string, unknown>) => {
  const body = { "7": { status: "In progress", ...entry } };
  const response = { kind: "json", body, raw: "", httpStatus: 200 } as const;
  const answer = readStates(response, { convention: PANEL_API_V2, words: NOTHING_TAUGHT }, ["7"], "many");
  const report = answer.kind === "entries" ? answer.entries.get("7") : undefined;
  if (report?.kind !== "report") throw new Error("not read");
  return report;
};

test("takes the charge of a provider in our currency over the one by its rate", () => {
  for (const currency of [undefined, "", "USD", "usd", " USD "]) {
    const report = reported({ charge: "0.4321", currency });
    expect(costAfter(OPEN, report, null), currency).toEqual({ cost: 432_100, costIsReported: true });
  }
  const end = { status: "Completed", remains: 0 };
  const unknown = { ...OPEN, ...UNKNOWN };
  expect(costAfter(unknown, reported({ charge: "0.4" }), end)).toEqual({ cost: 400_000, costIsReported: true });
});

test("keeps what it knows when the charge is in another currency, can't be read, or is absurd", () => {
  const same = { cost: 450_000, costIsReported: false };
  expect(costAfter(OPEN, reported({ charge: "38.2", currency: "INR" }), null)).toEqual(same);
  for (const charge of ["free", "-1", "1e99", "1000000.01", null, undefined]) {
    expect(costAfter(OPEN, reported({ charge, currency: "USD" }), null), String(charge)).toEqual(same);
  }
  expect(costAfter({ ...OPEN, ...UNKNOWN }, reported({}), null)).toEqual(UNKNOWN);
});

test("believes a charge of 0 only for a canceled order", () => {
  const free = reported({ charge: "0.00" });
  expect(costAfter(OPEN, free, null).cost).toBe(450_000);
  expect(costAfter(OPEN, free, { status: "Completed", remains: 0 }).cost).toBe(450_000);
  expect(costAfter(OPEN, free, { status: "Partial", remains: 400 }).cost).toBe(270_000);
  expect(costAfter(OPEN, free, { status: "Canceled", remains: 1000 })).toEqual({ cost: 0, costIsReported: true });
});

test("costs only what was delivered, rounded up, when the provider doesn't say what it took in the end", () => {
  const silent = reported({ currency: "USD" });
  expect(costAfter(OPEN, silent, { status: "Partial", remains: 999 })).toEqual({ cost: 450, costIsReported: false });
  expect(costAfter({ ...OPEN, cost: 1 }, silent, { status: "Partial", remains: 999 }).cost).toBe(1);
  expect(costAfter(OPEN, silent, { status: "Canceled", remains: 1000 }).cost).toBe(0);
  expect(costAfter(OPEN, silent, { status: "Canceled", remains: 5000 }).cost).toBe(0);
  expect(costAfter(OPEN, silent, { status: "Completed", remains: 0 }).cost).toBe(450_000);
});
