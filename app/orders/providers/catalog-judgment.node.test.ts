import { expect, test } from "vitest";
import { judge, type KnownService } from "./catalog-judgment.ts";

/** A service whose rate staff set. A night may move a rate by a tenth. */
const OURS: KnownService = {
  id: 1,
  version: 1,
  providerServiceId: "1",
  name: "Likes",
  type: "Default",
  rate: 200,
  providerRate: 108,
  ruleRate: null,
  decidedRate: 200,
  decidedCost: 100,
  min: 10,
  max: 1000,
  dripfeed: false,
  refill: false,
  cancel: false,
  enabled: true,
  keptWhileGone: false,
};
const NIGHT = { rule: null, limit: 1000, isOnSale: true };

test.each([
  ["little by little, beyond a tenth of what was decided", OURS, 112, { kind: "waits", reason: "rise" }],
  ["within a tenth of what was decided", OURS, 110, { kind: "harmless" }],
  ["from what nobody has decided yet", { ...OURS, decidedCost: null }, 118, { kind: "harmless" }],
  ["from what nobody has decided yet, too far", { ...OURS, decidedCost: null }, 119, { kind: "waits", reason: "rise" }],
  ["downwards, as far as it likes", OURS, 30, { kind: "harmless" }],
  ["to a fifth", OURS, 20, { kind: "waits", reason: "jump" }],
])("decides about a cost that moves %s", (_, ours, rate, judgment) => {
  const { type, min, max, dripfeed, refill, cancel } = OURS;
  const offered = { category: "Likes", type, rate, min, max, dripfeed, refill, cancel };
  expect(judge(ours, offered, NIGHT)).toMatchObject(judgment);
});
