import { expect, test } from "vitest";
import { parseId, parseWrittenId, requireId, requireTextId } from "./id-param.ts";

test("accepts whole numbers that fit a row number", () => {
  expect(parseId("1")).toBe(1);
  expect(parseId("2147483647")).toBe(2_147_483_647);
  for (const text of ["0", "-1", "1.5", "1e3", " 1", "", "2147483648", "9".repeat(20), null, undefined]) {
    expect(parseId(text)).toBeNull();
  }
});

test("accepts a row number as people write it", () => {
  expect(parseWrittenId(" #12 ")).toBe(12);
  for (const text of ["##12", "# 12", "12 13", "#", ""]) expect(parseWrittenId(text)).toBeNull();
});

test("throws 404 for a path without a usable id", () => {
  expect(requireId("12")).toBe(12);
  expect(() => requireId("12x")).toThrow(expect.objectContaining({ status: 404 }));
  expect(requireTextId("a-b")).toBe("a-b");
  expect(() => requireTextId(undefined)).toThrow(expect.objectContaining({ status: 404 }));
});
