import { expect, test } from "vitest";
import { readerLocale } from "./reader-locale.ts";

test("picks the preferred known language, with its script and region", () => {
  expect(readerLocale("de-AT,de;q=0.9,en;q=0.8")).toBe("de-AT");
  expect(readerLocale("en;q=0.5, fr-CH;q=0.9, de;q=0.9")).toBe("fr-CH");
  expect(readerLocale("zh-Hant-TW")).toBe("zh-Hant-TW");
  expect(readerLocale("DE-de ; q=1.000")).toBe("de-DE");
});

test("skips languages that are unknown or excluded", () => {
  expect(readerLocale("tlh, de-CH;q=0.3")).toBe("de-CH");
  expect(readerLocale("fr;q=0, de;q=0.1")).toBe("de");
  expect(readerLocale("fr;q=0")).toBe("en-US");
});

test("reads * as en-US, with the weight given to it", () => {
  expect(readerLocale("*")).toBe("en-US");
  expect(readerLocale("de;q=0.5, *")).toBe("en-US");
  expect(readerLocale("de, *;q=0.5")).toBe("de");
});

test("ignores digits and calendars in the header", () => {
  expect(readerLocale("de-DE-u-nu-thai-ca-buddhist")).toBe("de-DE");
  expect(readerLocale("en-x-private")).toBe("en");
  expect(readerLocale("en-US-u-nu-arab;q=0.7")).toBe("en-US");
});

test("falls back to en-US without a header and for garbage", () => {
  for (const header of [
    null,
    "",
    " ",
    ",,;",
    "de;q=abc",
    "d",
    "../../etc",
    "e\u0000n",
    "de_DE",
    "1234-5678",
    "-",
    "ü",
  ]) {
    expect(readerLocale(header), String(header)).toBe("en-US");
  }
  expect(readerLocale(";;;q=, de-DE;q=0.2")).toBe("de-DE");
});

test("reads only the start of a very long header, and no truncated tag", () => {
  expect(readerLocale(`${"tlh,".repeat(10)}de`)).toBe("de");
  expect(readerLocale(`${"tlh,".repeat(100_000)}de`)).toBe("en-US");
  expect(readerLocale(`${"x".repeat(997)},de-AT`)).toBe("en-US");
});
