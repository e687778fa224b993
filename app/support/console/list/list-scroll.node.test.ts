import { expect, test } from "vitest";
import { scrollAfter } from "./list-scroll.ts";

const rows = (...ids: number[]) => ids.map((id) => ({ sessionId: `s${id}`, updatedAt: 100 - id }));
const at = (top: number) => ({ top, rowPx: 10 });

test("keeps the visible rows in place when others move to the top, appear or leave", () => {
  const before = rows(1, 2, 3, 4, 5, 6, 7);
  const moved = { sessionId: "s6", updatedAt: 500 };
  expect(scrollAfter(before, [moved, ...rows(1, 2, 3, 4, 5, 7)], at(33))).toBe(43);
  expect(scrollAfter(before, rows(1, 3, 4, 5, 6, 7), at(33))).toBe(23);
  expect(scrollAfter(before, rows(0, 1, 2, 3, 4, 5, 6, 7), at(33))).toBe(43);
  expect(scrollAfter(before, [{ sessionId: "s2", updatedAt: 500 }, ...rows(1, 3, 4, 5, 6, 7)], at(33))).toBe(33);
});

test("does not follow a row that moves to the top, and keeps a list at its top there", () => {
  const before = rows(1, 2, 3, 4, 5);
  const moved = { sessionId: "s4", updatedAt: 500 };
  expect(scrollAfter(before, [moved, ...rows(1, 2, 3, 5)], at(30))).toBe(30);
  expect(scrollAfter(before, rows(0, 1, 2, 3, 4, 5), at(0))).toBe(0);
  expect(scrollAfter(before, rows(8, 9), at(30))).toBe(30);
  expect(scrollAfter(before, [], at(30))).toBe(30);
});
