import { expect, test } from "vitest";
import { formatsOf } from "./number-formats.ts";

test("formats amounts with cents in the reader's notation", () => {
  const [american, german] = [formatsOf("en-US"), formatsOf("de-DE")];
  expect(american.money(1_234_560_000)).toBe("$1,234.56");
  expect(german.money(1_234_560_000)).toBe("1.234,56\u00a0$");
  expect(american.money(4_500_000)).toBe("$4.50");
  expect(american.money(237_714_290)).toBe("$237.71");
  expect(american.money(-500_000)).toBe("-$0.50");
  expect(american.money(0)).toBe("$0.00");
});

test("shows as many digits of an amount below one cent as it needs", () => {
  expect(formatsOf("en-US").money(9_999)).toBe("$0.009999");
  expect(formatsOf("en-US").money(10_000)).toBe("$0.01");
  expect(formatsOf("en-US").money(-180)).toBe("-$0.00018");
  expect(formatsOf("de-DE").money(180)).toBe("0,00018\u00a0$");
});

test("gives an exact amount at least two decimals and as many as it needs", () => {
  expect(formatsOf("en-US").exactMoney(237_714_290)).toBe("$237.71429");
  expect(formatsOf("en-US").exactMoney(900_000)).toBe("$0.90");
  expect(formatsOf("de-DE").exactMoney(278_190)).toBe("0,27819\u00a0$");
});

test("leaves out the decimals of round amounts, and groups counts", () => {
  expect(formatsOf("en-US").roundMoney(25_000_000)).toBe("$25");
  expect(formatsOf("de-DE").roundMoney(25_000_000)).toBe("25\u00a0$");
  expect(formatsOf("de-DE").number(1000)).toBe("1.000");
  expect(formatsOf("ar-EG").number(1000)).toBe("١٬٠٠٠");
});
