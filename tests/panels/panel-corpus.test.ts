import { expect, test } from "vitest";
import { isSame, isSilent, verdictOf } from "./answer-verdicts.ts";
import { ANSWER_ROWS, consequenceOf, KNOWN_WRONG, nameOf, readText, TEXT_ROWS } from "./panel-corpus.ts";

/** Rows that may be read wrongly, in percent. None of them acts on its own. */
const LEAST_RIGHT = 97;

function report(what: string, wrong: string[], all: number): void {
  const share = ((100 * (all - wrong.length)) / all).toFixed(1);
  console.log(`${what}: ${all - wrong.length} of ${all} read as judged, ${share} %`);
  for (const name of wrong) console.log(`  wrong: ${name}: ${KNOWN_WRONG[name] ?? "no reason is given"}`);
  expect(wrong.filter((name) => !Object.hasOwn(KNOWN_WRONG, name))).toEqual([]);
  expect(Number(share)).toBeGreaterThanOrEqual(LEAST_RIGHT);
}

test("reads the answers of real panels as they were judged, and acts on none by mistake", () => {
  expect(ANSWER_ROWS.length).toBeGreaterThanOrEqual(60);
  const wrong = ANSWER_ROWS.map((row) => ({ row, read: verdictOf(row) })).filter(
    ({ row, read }) => !isSame(row.verdict, read),
  );
  expect(wrong.filter(({ row, read }) => isSilent(row.verdict, read)).map(({ row }) => nameOf(row))).toEqual([]);
  report(
    "answers",
    wrong.map(({ row }) => nameOf(row)),
    ANSWER_ROWS.length,
  );
});

test("reads the error texts of real panels as they were judged, and cancels no order by mistake", () => {
  expect(TEXT_ROWS.length).toBeGreaterThanOrEqual(200);
  const read = TEXT_ROWS.map((row) => ({ row, read: consequenceOf(readText(row)) }));
  const wrong = read.filter(({ row, read }) => consequenceOf(row.meaning) !== read);
  expect(wrong.filter(({ read }) => read === "rejected").map(({ row }) => row.text)).toEqual([]);
  report(
    "error texts",
    wrong.map(({ row }) => nameOf(row)),
    TEXT_ROWS.length,
  );
});

test("names only rows that exist among those that are read wrongly", () => {
  const names = new Set([...ANSWER_ROWS, ...TEXT_ROWS].map(nameOf));
  expect(names.size).toBe(ANSWER_ROWS.length + TEXT_ROWS.length);
  expect(Object.keys(KNOWN_WRONG).filter((name) => !names.has(name))).toEqual([]);
});

test("says of every row where it was seen", () => {
  for (const { source } of [...ANSWER_ROWS, ...TEXT_ROWS]) expect(source.length).toBeGreaterThan(10);
});
