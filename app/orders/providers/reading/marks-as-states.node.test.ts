import { expect, test } from "vitest";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { NOTHING_TAUGHT, type Reader, type TaughtWords } from "./reader.ts";
import { responseOf } from "./response.ts";
import { readStates } from "./states-answer.ts";
import { undeliveredOf } from "./status-report.ts";

/** "success" and "error" are states of orders at some panels, and say at others only how the call went. */

const ORDER = { type: "Default", quantity: 1000, runs: 1, intervalMinutes: null } as const;

test("closes no order as done whose answer says that the call succeeded and pieces remain", () => {
  for (const body of [
    { status: "success", charge: "0.27", start_count: "10", remains: "157" },
    { status: "success", order: 5001, remains: 157, delivery_status: "In progress" },
    { "5001": { status: "Success", remains: "157" } },
  ]) {
    expect(read(body), JSON.stringify(body)).toBe("unreadable shape");
  }
  expect(read({ status: "success", charge: "0.27", remains: "0" })).toBe("Completed, undelivered 0");
  expect(read({ status: "Completed", remains: "157" })).toBe("Completed, undelivered 0");
});

test("leaves to a person what a call that failed may have left at zero", () => {
  for (const body of [
    { status: "error", charge: 0, remains: 0, start_count: 0 },
    { "5001": { status: "Error", charge: "0", remains: "0" } },
  ]) {
    expect(read(body), JSON.stringify(body)).toBe("Canceled, undelivered null");
  }
  expect(read({ status: "Error", charge: "0", remains: "1000" })).toBe("Canceled, undelivered 1000");
  expect(read({ status: "Canceled", charge: "0", remains: "0" })).toBe("Canceled, undelivered 1000");
  // A state of most panels.
  expect(read({ status: "Fail", charge: "0", start_count: "", remains: "0" })).toBe("Canceled, undelivered 1000");
});

test("follows what staff taught of such a word", () => {
  const taught = { ...NOTHING_TAUGHT, states: { success: "Completed" as const } };
  expect(read({ status: "success", remains: "157" }, taught)).toBe("Completed, undelivered 0");
});

function read(body: unknown, words: TaughtWords = NOTHING_TAUGHT): string {
  const reader: Reader = { convention: PANEL_API_V2, words };
  const answer = readStates(responseOf(200, JSON.stringify(body), 1000), reader, ["5001"], "one");
  const entry = answer.kind === "entries" ? answer.entries.get("5001") : undefined;
  if (entry?.kind === "report") return `${entry.status}, undelivered ${undeliveredOf(ORDER, entry)}`;
  return entry === undefined ? answer.kind : `unreadable ${entry.why}`;
}
