import { join } from "node:path";
import { expect, test } from "vitest";
import { ORDER_STATUSES, type Order, REFILL_STATUSES } from "#app/db/schema.server.ts";
import { MEANINGS } from "#app/orders/providers/conventions/error-meanings.ts";
import { keptOf, refusalText, unreadOf } from "#app/orders/providers/dialect.server.ts";
import { readAdd } from "#app/orders/providers/reading/add-answer.ts";
import { readBalance } from "#app/orders/providers/reading/balance-answer.ts";
import { readCancel } from "#app/orders/providers/reading/cancel-answer.ts";
import { parseProviderId } from "#app/orders/providers/reading/members.ts";
import { readRefill } from "#app/orders/providers/reading/refill-answer.ts";
import { type ProviderResponse, responseOf } from "#app/orders/providers/reading/response.ts";
import {
  readRefillStates,
  readStates,
  type StatesAnswer,
  type Unreadable,
} from "#app/orders/providers/reading/states-answer.ts";
import { undeliveredOf } from "#app/orders/providers/reading/status-report.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { type AnswerRow, isSilent, READER, verdictOf } from "./answer-verdicts.ts";
import { asAnswerRow, readJudgedRows } from "./judged-corpus.ts";
import { ANSWER_ROWS } from "./panel-corpus.ts";
import { CHANGING, KEEPING } from "./shape-changes.ts";

const judged = (path: string) => readJudgedRows<never>(join(import.meta.dirname, "..", path)).map(asAnswerRow);
const ROWS: AnswerRow[] = [
  ...ANSWER_ROWS,
  ...judged("panels-blind/blind-answers.jsonl"),
  ...judged("panels-unseen/unseen-answers.jsonl"),
];
/** Of each answer, with one to three changes. */
const VARIANTS = 12;
const MAX_PARTS = 20_000;
const DEFAULT_ORDER = { type: "Default", quantity: 1000, runs: 1, intervalMinutes: null } as const;
const CHARGE = 900_001;

function parsed({ raw }: AnswerRow): { body: unknown } | null {
  try {
    return { body: JSON.parse(raw) };
  } catch {
    return null;
  }
}

/** Returns answers in other shapes: each with the names of its changes. */
function variantsOf(row: AnswerRow, changes: typeof KEEPING, seed: number): { names: string[]; row: AnswerRow }[] {
  const random = seededRandom(seed);
  const said = parsed(row);
  if (said === null)
    return [{ names: ["cut off"], row: { ...row, raw: row.raw.slice(0, random.upTo(row.raw.length)) } }];
  return Array.from({ length: VARIANTS }, () => {
    const names = Array.from({ length: 1 + random.upTo(3) }, () => random.pick(Object.keys(changes)));
    const body = names.reduce((so, name) => changes[name]?.(so, random), said.body);
    const text = JSON.stringify(body) ?? "null";
    return { names, row: { ...row, raw: random.chance(0.05) ? text.slice(0, random.upTo(text.length)) : text } };
  });
}

/** Throws if an answer is neither read nor noted, or if it would refund more than was ordered. */
function check(row: AnswerRow): void {
  const { call, ids = ["5001"], mode = "one", inputs = [] } = row;
  const response = responseOf(row.http, row.raw, MAX_PARTS);
  switch (call) {
    case "add": {
      const outcome = readAdd(response, READER, { hadUnknownAttempt: row.hadUnknownAttempt ?? false, inputs });
      if (outcome.kind === "accepted") expectId(outcome.providerOrderId, response);
      if (outcome.kind === "rejected" || outcome.kind === "deferred") expectMeaning(outcome);
      if (outcome.kind === "unknown") {
        expect(outcome.why).not.toBe("");
        const text = refusalText({ ...response, sent: inputs }, READER);
        if (text !== null) expectKept({ kind: "error", word: text });
      }
      return;
    }
    case "refill": {
      const outcome = readRefill(response, READER);
      if (outcome.kind === "accepted" && outcome.providerRefillId !== null) {
        expectId(outcome.providerRefillId, response);
      }
      if (outcome.kind === "unknown") expect(outcome.why).not.toBe("");
      return;
    }
    case "cancel": {
      const outcome = readCancel(response, READER, row.id ?? "");
      if (outcome.kind === "unknown") expect(outcome.why).not.toBe("");
      return;
    }
    case "status":
      expectEntries(readStates(response, READER, ids, mode), ids, "state", (report) => {
        expect(ORDER_STATUSES).toContain(report.status);
        expectRefund({ ...DEFAULT_ORDER, ...row.order }, undeliveredOf({ ...DEFAULT_ORDER, ...row.order }, report));
      });
      return;
    case "refill_status":
      expectEntries(readRefillStates(response, READER, ids, mode), ids, "refill_state", ({ status }) =>
        expect(REFILL_STATUSES).toContain(status),
      );
      return;
    case "balance": {
      const read = readBalance(response, READER);
      if (read) expect(Number.isSafeInteger(read.balance)).toBe(true);
      return;
    }
    default:
      call satisfies never;
  }
}

function expectId(id: string, response: ProviderResponse): void {
  expect(parseProviderId(id)).toBe(id);
  expect(response.raw).toContain(id);
}

function expectMeaning({ reason, meaning }: { reason?: string; meaning?: string | null }): void {
  const named = reason ?? meaning;
  if (named != null) expect(MEANINGS).toHaveProperty(named);
}

type Ordered = Pick<Order, "type" | "quantity" | "runs" | "intervalMinutes">;

function expectRefund({ quantity, runs }: Ordered, undelivered: number | null): void {
  if (undelivered === null) return;
  const total = quantity * runs;
  expect(undelivered).toBeGreaterThanOrEqual(0);
  expect(undelivered).toBeLessThanOrEqual(total);
  expect(refundFor({ charge: CHARGE, refunded: 0, remains: undelivered, total })).toBeLessThanOrEqual(CHARGE);
}

function expectEntries<One extends { kind: "report" }>(
  answer: StatesAnswer<One>,
  ids: readonly string[],
  kind: "state" | "refill_state",
  checkReport: (report: One) => void,
): void {
  if (answer.kind === "no_answer") expect(answer.why).not.toBe("");
  if (answer.kind !== "entries") return;
  expect([...answer.entries.keys()]).toEqual([...ids]);
  for (const entry of answer.entries.values()) {
    if (entry.kind === "report") checkReport(entry as One);
    else expectKept(unreadOf(entry as Unreadable, kind, 1));
  }
}

/** What nobody could read is noted, and its note has a bound. A text of signs only is in the log alone. */
function expectKept(unread: Parameters<typeof keptOf>[0]): void {
  const { key, shown } = keptOf(unread);
  expect(key.length).toBeLessThanOrEqual(300);
  expect(shown.length).toBeLessThanOrEqual(300);
  if (/\p{L}|\d/u.test(unread.word)) expect(key).not.toBe("");
}

test("reads each answer of the corpora in any other shape, or says that it can't, and refunds no more than was ordered", () => {
  const all = { ...KEEPING, ...CHANGING };
  const read = ROWS.flatMap((row, at) => variantsOf(row, all, at + 1));
  for (const { names, row } of read) {
    try {
      check(row);
    } catch (error) {
      throw new Error(`${row.call} ${row.name}, ${names.join(", ")}: ${row.raw}`, { cause: error });
    }
  }
  expect(read.length).toBeGreaterThan(ROWS.length * 10);
});

test("acts on no answer that another panel writes in another shape as it wouldn't on the first", () => {
  const acting = ROWS.flatMap((row, at) => {
    const before = verdictOf(row);
    return variantsOf({ ...row }, KEEPING, at + 1)
      .filter(({ row: changed }) => isWhole(changed) && isSilent(before, verdictOf(changed)))
      .map(
        ({ names, row: changed }) => `${row.call} ${names.join(", ")}: ${row.raw} => ${changed.raw}
        ${JSON.stringify(before)} => ${JSON.stringify(verdictOf(changed))}`,
      );
  });
  expect(acting).toEqual([]);
});

function isWhole(row: AnswerRow): boolean {
  return parsed(row) !== null;
}
