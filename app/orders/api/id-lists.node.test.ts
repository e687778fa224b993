import { afterEach, expect, test, vi } from "vitest";
import { MAX_IDS_PER_CALL, severalOrders, severalRefills } from "./api-schema.server.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("splits no more of a list of ids than a call may name", () => {
  const split = vi.spyOn(RegExp.prototype, Symbol.split);
  for (const unit of ["1,", "1 ", ","]) {
    const list = unit.repeat(1_000_000 / unit.length);
    expect(severalOrders.safeParse({ orders: list }).success).toBe(false);
    expect(severalRefills.safeParse({ refills: list }).success).toBe(false);
  }
  const pieces = split.mock.results.map(({ value }) => (value as string[]).length);
  expect(Math.max(...pieces)).toBeGreaterThan(1);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(MAX_IDS_PER_CALL + 3);
});

test("takes a list that a client made text of", () => {
  for (const text of ["[1, 2, 3]", '["1","2","3"]', "['1', '2', '3']", " 1 ,2,\t3 ", "1\r\n2\r\n3\r\n"]) {
    expect(severalOrders.parse({ orders: text }).orders, text).toEqual(["1", "2", "3"]);
  }
});

test("takes as many ids as a call may name, with delimiters around them, and not one more", () => {
  const most = Array.from({ length: MAX_IDS_PER_CALL }, (_, at) => String(at + 1));
  for (const text of [most.join(), `,\n${most.join(" , ")},`, JSON.stringify(most)]) {
    expect(severalOrders.parse({ orders: text }).orders).toEqual(most);
    expect(severalOrders.safeParse({ orders: `${text},101` }).success).toBe(false);
  }
});
