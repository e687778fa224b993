import { expect, test } from "vitest";
import { priceOf } from "#app/orders/prices/order-price.ts";
import { byTier } from "#app/orders/prices/tier-prices.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { quote } from "./quote.ts";
import { priceOfQuote } from "./quoted-price.ts";

test("shows what the server charges, by whichever of tier and code is lower, for 5,000 random orders", () => {
  const random = seededRandom(7);
  for (let turn = 0; turn < 5000; turn++) {
    const perOrder = random.chance(0.2);
    const type = perOrder ? ("Package" as const) : ("Default" as const);
    const usual = { type, rate: 1 + random.upTo(20_000_000), network: "Instagram", min: 1, max: 100_000 };
    const isFixed = random.chance(0.3);
    const ownRate = isFixed ? random.upTo(usual.rate) : null;
    const tier = random.chance(0.5)
      ? { id: 1, name: "Gold", basisPoints: isFixed ? null : random.upTo(9001), rate: ownRate }
      : null;
    const maxDiscount = random.chance(0.3) ? 1 + random.upTo(1_000_000) : null;
    const code = random.chance(0.5) ? { id: 2, name: "Spring", basisPoints: 1 + random.upTo(9000), maxDiscount } : null;
    const quantity = perOrder ? 1 : 1 + random.upTo(100_000);
    const runs = perOrder ? 1 : 1 + random.upTo(3);
    const charged = priceOf(usual, tier, { quantity, runs }, code);
    const offer = { ...byTier(usual, tier), perOrder, countedBy: null };
    const quoted = quote(offer, { quantity: String(quantity), list: "", runs: String(runs) });
    const checked = code && { ...code, minCharge: 0, network: null };
    const shown = priceOfQuote(offer, quoted, checked);
    expect(shown.quoted.charge).toBe(charged?.charge);
    expect(shown.lowered?.name ?? null).toBe(charged?.rule?.name ?? null);
    if (shown.lowered) expect(shown.lowered.usual).toBe((charged?.charge ?? 0) + (charged?.discount ?? 0));
  }
});

test("says why a code takes nothing off", () => {
  const offer = { rate: 900_000, perOrder: false, network: "Instagram", min: 10, max: 10_000, countedBy: null };
  const quoted = quote(offer, { quantity: "1000", list: "", runs: "" });
  const code = { name: "Spring", basisPoints: 1000, maxDiscount: null, minCharge: 0, network: null };
  expect(priceOfQuote(offer, quoted, code).quoted).toMatchObject({ charge: 810_000 });
  expect(priceOfQuote(offer, quoted, { ...code, network: "TikTok" }).codeFault).toBe("network");
  expect(priceOfQuote(offer, quoted, { ...code, minCharge: 900_001 }).codeFault).toBe("too_small");
  const gold = byTier(offer, { id: 1, name: "Gold", basisPoints: 1000, rate: null });
  const byGold = quote(gold, { quantity: "1000", list: "", runs: "" });
  expect(priceOfQuote(gold, byGold, code)).toMatchObject({ codeFault: "tier_wins", lowered: { name: "Gold" } });
});
