import { expect, test } from "vitest";
import { MAX_REFILL_DAYS } from "#app/product.ts";
import {
  type Agreed,
  brokenBounds,
  fieldOfBound,
  guard,
  type JudgedService,
  MAX_RATE,
  REFUSALS,
  refusalSentence,
  refusalText,
  WAITING_REASONS,
} from "./service-guard.ts";

/** A service on sale for $2.00 that costs $1.00. */
const OURS = {
  type: "Default",
  rate: 2_000_000,
  providerRate: 1_000_000,
  decidedRate: 2_000_000,
  decidedCost: 1_000_000,
  min: 10,
  max: 1000,
  refillDays: null,
  providerId: 1,
  providerServiceId: "7",
  enabled: true,
} as const satisfies JudgedService;
type Case = [name: string, before: Partial<JudgedService>, change: Partial<JudgedService>, refusal: string | null];

const OFF = { enabled: false };
const LOSS = { rate: 900_000 };

const PERSONS: Case[] = [
  ["changes nothing", {}, {}, null],
  ["raises the rate", {}, { rate: 90_000_000 }, null],
  ["lowers the rate to the cost", {}, { rate: 1_000_000 }, null],
  ["lowers the rate below the cost", {}, LOSS, "below_cost"],
  ["lowers the rate of what has no known cost", { providerRate: null }, { rate: 1 }, null],
  ["lowers the rate below the cost off sale", OFF, LOSS, null],
  ["puts on sale below the cost", { ...OFF, ...LOSS }, { enabled: true }, "below_cost"],
  ["takes off sale what sells below cost", LOSS, OFF, null],
  ["moves what sells below cost", LOSS, { category: "Views" }, null],
  ["lowers the rate further below cost", LOSS, { rate: 800_000 }, "below_cost"],
  ["keeps the rate at a cost above it", {}, { providerRate: 3_000_000 }, "below_cost"],
  ["keeps the rate at another cost above it", { providerRate: 9_000_000 }, { providerRate: 8_000_000 }, "below_cost"],
  ["takes any rise and jump that it has seen", {}, { providerRate: 50_000_000, rate: 60_000_000 }, null],
  ["takes another type and narrower limits", {}, { type: "Package", min: 20, max: 30 }, null],
  ["puts on sale what waits", { ...OFF, isBlocked: true }, { enabled: true }, "waits"],
  ["puts on sale what no longer waits", { ...OFF, isBlocked: true }, { enabled: true, isBlocked: false }, null],
  ["changes what waits on sale", { isBlocked: true }, { rate: 3_000_000 }, null],
  ["changes what waits off sale", { ...OFF, isBlocked: true }, { rate: 3_000_000 }, null],
  ["sets the highest rate", {}, { rate: MAX_RATE }, null],
  ["sets a rate above the highest", {}, { rate: MAX_RATE + 1 }, "too_high"],
  ["takes off sale what has a rate above the highest", { rate: MAX_RATE + 1 }, OFF, null],
  ["sets a minimum of 0", {}, { min: 0 }, "min_too_low"],
  ["sets the minimum above the maximum", {}, { min: 1001 }, "max_below_min"],
  ["sets the maximum below the minimum", {}, { max: 9 }, "max_below_min"],
  ["sets both to the same", {}, { min: 5, max: 5 }, null],
  ["sets no refill days", {}, { refillDays: 0 }, "refill_days"],
  ["sets the most refill days", {}, { refillDays: MAX_REFILL_DAYS }, null],
  ["sets too many refill days", {}, { refillDays: MAX_REFILL_DAYS + 1 }, "refill_days"],
  ["removes the provider alone", {}, { providerId: null }, "half_forwarded"],
  ["removes its service ID alone", {}, { providerServiceId: null }, "half_forwarded"],
  ["removes both", {}, { providerId: null, providerServiceId: null }, null],
];

test.each(PERSONS)("a person %s", (_, before, change, refusal) => {
  const service = { ...OURS, ...before };
  expect(guard(service, { ...service, ...change }, {})).toBe(refusal);
  const agreed = refusal === "below_cost" ? null : refusal;
  expect(guard(service, { ...service, ...change }, { toLoss: true })).toBe(agreed);
});

const NIGHTS: Case[] = [
  ["the same", {}, {}, null],
  ["a cost within the limit", {}, { providerRate: 1_200_000 }, null],
  ["a cost beyond it", {}, { providerRate: 1_200_001 }, "rise"],
  ["a cost that crept beyond it", { providerRate: 1_190_000 }, { providerRate: 1_210_000 }, "rise"],
  ["a cost that nobody decided on", { decidedCost: null, providerRate: 1_190_000 }, { providerRate: 1_400_000 }, null],
  ["a lower cost, however far", {}, { providerRate: 210_000 }, null],
  ["five times the cost", {}, { providerRate: 5_000_000, rate: 10_000_000 }, "jump"],
  ["a fifth of the cost", {}, { providerRate: 200_000 }, "jump"],
  ["a cost above our rate", {}, { providerRate: 2_000_001 }, "below_cost"],
  ["a cost above our rate off sale", { ...OFF, decidedCost: 1_900_000 }, { providerRate: 2_000_001 }, null],
  ["a rate that rises beyond it", {}, { providerRate: 1_100_000, rate: 2_400_001 }, "rise"],
  ["a rate that crept beyond it", { rate: 2_300_000 }, { providerRate: 1_100_000, rate: 2_400_001 }, "rise"],
  ["our own rate far from the decided one", { decidedRate: 1_000_000 }, { providerRate: 1_100_000 }, null],
  ["a rate that falls beyond it", {}, { providerRate: 900_000, rate: 1_599_999 }, "drop"],
  ["a rate within it", {}, { providerRate: 1_100_000, rate: 2_400_000 }, null],
  ["what sells below cost as it did", LOSS, {}, null],
  ["what a person agreed to sell below cost back on sale", { ...LOSS, ...OFF }, { enabled: true }, null],
  ["another type", {}, { type: "Package" }, "type"],
  ["another type off sale", OFF, { type: "Package" }, null],
  ["a higher minimum", {}, { min: 11 }, "limits"],
  ["a lower maximum", {}, { max: 999 }, "limits"],
  ["wider limits", {}, { min: 1, max: 2000 }, null],
  ["narrower limits off sale", OFF, { min: 100 }, null],
  ["that it is gone", {}, { isListed: false }, "gone"],
  ["that it is gone off sale", OFF, { isListed: false }, null],
];

test.each(NIGHTS)("a night finds %s", (_, before, change, reason) => {
  const service = { ...OURS, ...before };
  expect(guard(service, { ...service, ...change }, { within: 2000 })).toBe(reason);
});

test("judges a new service by its bounds and its cost", () => {
  expect(guard(null, OURS, {})).toBeNull();
  expect(guard(null, { ...OURS, ...LOSS }, {})).toBe("below_cost");
  expect(guard(null, { ...OURS, max: 1 }, {})).toBe("max_below_min");
});

test("names every bound of a form at once, each at a field", () => {
  const broken = brokenBounds({ ...OURS, rate: MAX_RATE + 1, min: 0, max: -1, refillDays: 0, providerId: null });
  expect(broken.map(fieldOfBound)).toEqual(["rate", "min", "max", "refillDays", "providerServiceId"]);
});

test("has words for each refusal that fit a message, a field and a list", () => {
  for (const refusal of Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]) {
    const { why, next } = REFUSALS[refusal];
    expect(why, refusal).toMatch(/^[a-z].*[^.]$/);
    expect(next, refusal).toMatch(/^[A-Z].*\.$/);
    expect(refusalText(refusal)).toBe(`${refusalSentence(refusal)}. ${next}`);
  }
  for (const { title, note } of Object.values(WAITING_REASONS)) expect(`${title}: ${note}`).toMatch(/^[A-Z].*\.$/);
});

/** Any rate, cost and state, with and without a person who agrees: the only rates below cost are those agreed to. */
test("lets nothing go on sale below cost that nobody agreed to", () => {
  const amounts = [0, 1, 999_999, 1_000_000, 1_000_001, MAX_RATE];
  const agreements: Agreed[] = [{}, { toLoss: true }];
  for (const rate of amounts)
    for (const providerRate of [null, ...amounts])
      for (const enabled of [true, false])
        for (const agreed of agreements) {
          const after = { ...OURS, rate, providerRate, enabled };
          const isLoss = enabled && providerRate !== null && rate < providerRate;
          const isChanged = rate !== OURS.rate || providerRate !== OURS.providerRate || !enabled;
          const refusal = isLoss && isChanged && !agreed.toLoss ? "below_cost" : null;
          expect(guard(OURS, after, agreed), JSON.stringify({ after, agreed })).toBe(refusal);
        }
});
