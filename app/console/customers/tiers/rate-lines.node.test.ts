import { expect, test } from "vitest";
import { readRateLines } from "./rate-lines.ts";

test("reads rates by service, and a dash as none", () => {
  expect(readRateLines("12 | 0.80\r\n\n 13;1\n14\t-\n15 0.000001")).toEqual({
    ok: true,
    rates: [
      { serviceId: 12, rate: 800_000 },
      { serviceId: 13, rate: 1_000_000 },
      { serviceId: 14, rate: null },
      { serviceId: 15, rate: 1 },
    ],
  });
});

test("refuses a line that it can't read, and a service that is there twice", () => {
  for (const line of ["12", "12 |", "x | 1", "12 | -1", "12 | 1,5", "12 | 1e3"]) {
    expect(readRateLines(line), line).toMatchObject({ ok: false });
  }
  expect(readRateLines("12 | 1\n12 | 2")).toEqual({ ok: false, text: "Service 12 is there twice" });
  expect(readRateLines("1 | 1\n".repeat(1001))).toMatchObject({ ok: false });
});
