import { expect, test } from "vitest";
import type { StatesAnswer, Unreadable } from "#app/orders/providers/reading/states-answer.ts";
import type { Report } from "#app/orders/providers/reading/status-report.ts";
import { entriesOf, judged, type SingleCall } from "./state-calls.server.ts";

const FAILED: StatesAnswer<Report> = { kind: "no_answer", why: "nobody" };
const REFUSED: StatesAnswer<Report> = { kind: "ask_single", why: "refused", error: "Incorrect order ID" };

function called(item: string, answer: StatesAnswer<Report>, httpStatus = 200): SingleCall<string, Report> {
  return { item, called: judged({ kind: "json", body: item, raw: "", httpStatus }, answer) };
}

function says(item: string): StatesAnswer<Report> {
  return { kind: "entries", entries: new Map([[item, { kind: "report", status: "Pending" } as Report]]) };
}

/** Returns what is said of items whose calls are answered so, and those that nothing is known about yet. */
function read(calls: SingleCall<string, Report>[], failed: SingleCall<string, Report>[] = []) {
  const found = entriesOf(calls, failed, (item) => item);
  const kinds = found.said.map((item) => [item, found.entries.get(item)?.kind]);
  return { kinds, failed: found.failed.map(({ item }) => item), isRead: found.isRead };
}

test("blames an item for its failed call once a later one is answered", () => {
  expect(read([called("a", says("a")), called("b", FAILED), called("c", says("c"))])).toEqual({
    kinds: [
      ["a", "report"],
      ["b", "unreadable"],
      ["c", "report"],
    ],
    failed: [],
    isRead: true,
  });
});

test("says nothing about the items whose calls failed last, also over several calls at once", () => {
  const earlier = called("a", FAILED);
  expect(read([called("b", FAILED)], [earlier])).toEqual({ kinds: [], failed: ["a", "b"], isRead: false });
  expect(read([called("b", REFUSED), called("c", FAILED)], [earlier])).toEqual({
    kinds: [
      ["a", "unreadable"],
      ["b", "unreadable"],
    ],
    failed: ["c"],
    isRead: false,
  });
});

test("tells failures about every call from answers about one item", () => {
  const isAbout = (answer: StatesAnswer<Report>, httpStatus?: number) => {
    const { called: one } = called("a", answer, httpStatus);
    return [one.hasFailed, one.isTooMuch];
  };
  expect(isAbout(says("a"))).toEqual([false, false]);
  expect(isAbout(REFUSED)).toEqual([false, false]);
  expect(isAbout(FAILED)).toEqual([true, false]);
  expect(isAbout({ kind: "about_all", cause: "key" })).toEqual([true, false]);
  expect(isAbout({ kind: "about_all", cause: "busy" })).toEqual([true, true]);
  expect(isAbout(FAILED, 429)).toEqual([true, true]);
});

test("counts the items that an answer tells a state of, and those that it leaves out", () => {
  const answer: StatesAnswer<Report> = {
    kind: "entries",
    entries: new Map<string, Report | Unreadable>([
      ["a", { kind: "report", status: "Pending" } as Report],
      ["b", { kind: "unreadable", why: "missing", entry: undefined }],
      ["c", { kind: "unreadable", why: "word", entry: {} }],
    ]),
  };
  expect(called("a", answer).called).toMatchObject({ read: 1, missing: 1, isTooLong: false });
  expect(called("a", REFUSED).called).toMatchObject({ read: 0, missing: 0, isTooLong: false });
  const long = { kind: "no_response", why: "", raw: "", httpStatus: 200, isTooLong: true } as const;
  expect(judged(long, null)).toMatchObject({ read: 0, missing: 0, isTooLong: true, hasFailed: false });
});
