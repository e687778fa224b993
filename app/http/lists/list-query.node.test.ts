import { expect, test } from "vitest";
import { cursorText, listPage, parseCursor, readCursor, readSort } from "./list-query.ts";

const KEYS = ["created", "name"] as const;
const sortOf = (query: string, list?: string) => readSort(new URLSearchParams(query), KEYS, "-created", list);

test("reads how a list is sorted, and sorts by the default for anything unknown", () => {
  expect(sortOf("sort=name")).toEqual({ key: "name", descending: false });
  expect(sortOf("sort=-name")).toEqual({ key: "name", descending: true });
  for (const unknown of ["", "sort=", "sort=--name", "sort=price", "sort=constructor"]) {
    expect(sortOf(unknown), unknown).toEqual({ key: "created", descending: true });
  }
});

test("keeps the parameters of two lists on one page apart", () => {
  expect(sortOf("sort=name&refills.sort=-name", "refills.")).toEqual({ key: "name", descending: true });
  expect(readCursor(new URLSearchParams('after=[1,2]&refills.after=[3,"x"]'), "refills.")).toEqual({
    value: 3,
    id: "x",
  });
});

test("reads a cursor as it was written, and starts at the first page for anything else", () => {
  const cursor = { value: 'A "quoted", name ü', id: 7 };
  expect(parseCursor(cursorText(cursor))).toEqual(cursor);
  for (const wrong of [
    null,
    "",
    "7",
    "[1]",
    "[1,2,3]",
    "[1,null]",
    '[{"a":1},2]',
    "[1.5,2]",
    `["${"a".repeat(2000)}",1]`,
  ]) {
    expect(parseCursor(wrong), String(wrong)).toBeNull();
  }
});

test("has a next page only if a row more than the page was read", () => {
  const cursorOf = (row: number) => ({ value: row * 10, id: row });
  expect(listPage([1, 2, 3], 2, cursorOf)).toEqual({ rows: [1, 2], next: "[20,2]" });
  expect(listPage([1, 2], 2, cursorOf)).toEqual({ rows: [1, 2], next: null });
  expect(listPage([], 2, cursorOf)).toEqual({ rows: [], next: null });
});
