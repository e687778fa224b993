import { expect, test } from "vitest";
import { formatsOf } from "./number-formats.ts";

test("amounts have at least two decimals and as many as they need, as the reader writes them", () => {
  const [american, german] = [formatsOf("en-US"), formatsOf("de-DE")];
  expect(american.money(1_234_560_000)).toBe("$1,234.56");
  expect(german.money(1_234_560_000)).toBe("1.234,56\u00a0$");
  expect(american.money(4_500_000)).toBe("$4.50");
  expect(german.money(180)).toBe("0,00018\u00a0$");
  expect(american.money(-500_000)).toBe("-$0.50");
});

test("a round amount has no decimals, and counts are grouped", () => {
  expect(formatsOf("en-US").roundMoney(25_000_000)).toBe("$25");
  expect(formatsOf("de-DE").roundMoney(25_000_000)).toBe("25\u00a0$");
  expect(formatsOf("de-DE").number(1000)).toBe("1.000");
  expect(formatsOf("ar-EG").number(1000)).toBe("١٬٠٠٠");
});
