import { expect, test } from "vitest";
import { ownValue } from "./own-value.ts";

test("finds the record's own values and nothing that every object inherits", () => {
  const table: Record<string, number> = { canceled: 1 };
  expect(ownValue(table, "canceled")).toBe(1);
  for (const name of ["constructor", "valueOf", "toString", "__proto__", "hasOwnProperty", ""]) {
    expect(ownValue(table, name), name).toBeUndefined();
  }
  expect(ownValue(JSON.parse('{"__proto__": 2}'), "__proto__")).toBe(2);
  expect(ownValue(Object.create(null), "constructor")).toBeUndefined();
  expect([ownValue(null, "a"), ownValue(undefined, "a")]).toEqual([undefined, undefined]);
});
