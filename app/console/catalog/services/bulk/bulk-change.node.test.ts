import { expect, it } from "vitest";
import { sellsBelowCost } from "#app/orders/rules/margin.ts";
import { MAX_RATE } from "#app/orders/services/service-guard.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { type BulkChange, type BulkService, changedValue } from "./bulk-change.ts";

const CASES = 5_000;
const SEED = 20_261_124;

it("changes rates by a part as an exact fraction rounded up says, within the bounds", () => {
  const { next: random } = seededRandom(SEED);
  for (let n = 0; n < CASES; n++) {
    const service = anyService(random);
    const [part, step] = [between(random, -9_900, 100_000), anyStep(random)];
    const exact = { over: BigInt(service.rate) * BigInt(10_000 + part), under: 10_000n };
    expectLeast(service, { kind: "price", part, step }, exact, step);
  }
});

it("sets rates that keep the margin promised, and no higher ones than that takes", () => {
  const { next: random } = seededRandom(SEED + 1);
  for (let n = 0; n < CASES; n++) {
    const service = anyService(random);
    const [margin, step] = [between(random, 0, 9_900), anyStep(random)];
    const change: BulkChange = { kind: "margin", margin, step };
    if (!service.providerRate) {
      expect(changedValue(service, change)).toEqual({ left: "no_cost" });
      continue;
    }
    const cost = BigInt(service.providerRate);
    expectLeast(service, change, { over: cost * 10_000n, under: BigInt(10_000 - margin) }, step);
    const result = changedValue(service, change);
    if (!("to" in result)) continue;
    // The margin as a part of the price: (price - cost) / price >= margin / 10,000.
    const price = BigInt(Number(result.to));
    expect((price - cost) * 10_000n >= price * BigInt(margin)).toBe(true);
  }
});

it("rounds rates up to a step, and never lowers one", () => {
  const { next: random } = seededRandom(SEED + 2);
  for (let n = 0; n < CASES; n++) {
    const service = anyService(random);
    const step = between(random, 1, 5_000_000);
    expectLeast(service, { kind: "round", step }, { over: BigInt(service.rate), under: 1n }, step);
  }
});

it("moves and switches only services that are elsewhere or otherwise", () => {
  const { next: random } = seededRandom(SEED + 3);
  for (let n = 0; n < 1_000; n++) {
    const service = anyService(random);
    const [category, enabled] = [`c${between(random, 0, 3)}`, random() < 0.5];
    expect(changedValue(service, { kind: "category", category })).toEqual(
      service.category === category ? { left: "same" } : { to: category },
    );
    expect(changedValue(service, { kind: "sale", enabled })).toEqual(
      service.enabled === enabled ? { left: "same" } : { to: enabled },
    );
  }
});

it("takes a sale below cost for what it is: on sale, with a known cost above the rate", () => {
  const on = { enabled: true, rate: 99, providerRate: 100 };
  expect(sellsBelowCost(on)).toBe(true);
  expect(sellsBelowCost({ ...on, rate: 100 })).toBe(false);
  expect(sellsBelowCost({ ...on, enabled: false })).toBe(false);
  expect(sellsBelowCost({ ...on, providerRate: null })).toBe(false);
});

/** Checks that the new rate is the lowest multiple of the step that is not below an exact fraction. */
function expectLeast(
  service: BulkService,
  change: BulkChange,
  { over, under }: { over: bigint; under: bigint },
  step: number | null,
) {
  const multiple = BigInt(step ?? 1);
  let due = (over / (under * multiple)) * multiple;
  while (due * under < over) due += multiple;
  const expected =
    due > BigInt(MAX_RATE)
      ? { left: "too_high" }
      : due === BigInt(service.rate)
        ? { left: "same" }
        : { to: Number(due) };
  expect(changedValue(service, change), JSON.stringify({ service, change })).toEqual(expected);
  expect(due >= 0n).toBe(true);
}

function anyService(random: () => number): BulkService {
  const rate = anyRate(random);
  return {
    id: between(random, 1, 20_000),
    version: between(random, 0, 9),
    name: "Likes",
    category: `c${between(random, 0, 3)}`,
    rate,
    providerRate: random() < 0.1 ? null : anyRate(random),
    enabled: random() < 0.7,
    isBlocked: false,
  };
}

/** Rates of all magnitudes, with the bounds and their neighbors. */
function anyRate(random: () => number): number {
  if (random() < 0.1) return [0, 1, MAX_RATE - 1, MAX_RATE][between(random, 0, 3)] ?? 0;
  return between(random, 0, Math.min(MAX_RATE, 10 ** between(random, 1, 15)));
}

function anyStep(random: () => number): number | null {
  return random() < 0.4 ? null : ([10_000, 50_000, 100_000, 500_000, 1_000_000][between(random, 0, 4)] ?? null);
}

function between(random: () => number, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}
