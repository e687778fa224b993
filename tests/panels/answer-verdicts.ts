import type { Order } from "#app/db/schema.server.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { MAX_PARTS } from "#app/orders/providers/provider-client.server.ts";
import { readAdd } from "#app/orders/providers/reading/add-answer.ts";
import { readBalance } from "#app/orders/providers/reading/balance-answer.ts";
import { readCancel } from "#app/orders/providers/reading/cancel-answer.ts";
import { NOTHING_TAUGHT, type Reader } from "#app/orders/providers/reading/reader.ts";
import { readRefill } from "#app/orders/providers/reading/refill-answer.ts";
import { type ProviderResponse, responseOf } from "#app/orders/providers/reading/response.ts";
import {
  type AskedFor,
  type RefillReport,
  readRefillStates,
  readStates,
  type StatesAnswer,
  type Unreadable,
} from "#app/orders/providers/reading/states-answer.ts";
import { type Report, undeliveredOf } from "#app/orders/providers/reading/status-report.ts";
import { isFinal } from "#app/orders/rules/order-status.ts";

/** Verdict on an answer: what it means, as a person judged before any reader ran. By id for answers about several. */
export type Verdict = string | Record<string, string>;

/** An answer of a provider. `panels`: at how many it was seen. `source`: where, in words. Values are rewritten. */
export type AnswerRow = {
  name: string;
  call: "add" | "status" | "refill" | "cancel" | "refill_status" | "balance";
  http: number;
  raw: string;
  verdict: Verdict;
  source: string;
  panels: number;
  ids?: string[];
  mode?: AskedFor;
  id?: string;
  order?: Pick<Order, "type" | "quantity" | "runs" | "intervalMinutes">;
  hadUnknownAttempt?: boolean;
  /** Texts of the order that an error may quote. */
  inputs?: string[];
};

export const READER: Reader = { convention: PANEL_API_V2, words: NOTHING_TAUGHT };

/** Returns the rows of a file with one in each line. */
export function rowsIn<Row>(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Reads an answer and puts it into the words of a verdict. `response`: as the client returned it. */
export function verdictOf(
  row: AnswerRow,
  reader = READER,
  response: ProviderResponse = responseOf(row.http, row.raw, MAX_PARTS),
): Verdict {
  const { ids = [], mode = "one", inputs = [] } = row;
  switch (row.call) {
    case "add": {
      const context = { hadUnknownAttempt: row.hadUnknownAttempt ?? false, inputs };
      const outcome = readAdd(response, reader, context);
      if (outcome.kind === "accepted") return `accepted ${outcome.providerOrderId}`;
      return outcome.kind === "deferred" ? `deferred ${outcome.cause}` : outcome.kind;
    }
    case "refill": {
      const outcome = readRefill(response, reader);
      if (outcome.kind !== "accepted") return outcome.kind === "deferred" ? `deferred ${outcome.cause}` : outcome.kind;
      return ["accepted", outcome.providerRefillId].filter(Boolean).join(" ");
    }
    case "cancel": {
      const outcome = readCancel(response, reader, row.id ?? "");
      return outcome.kind === "deferred" ? `deferred ${outcome.cause}` : outcome.kind;
    }
    case "status":
      return statesVerdict(readStates(response, reader, ids, mode), (report) => orderVerdict(row, report));
    case "refill_status":
      return statesVerdict<RefillReport>(readRefillStates(response, reader, ids, mode), ({ status }) => status);
    case "balance": {
      const read = readBalance(response, reader);
      return read ? `${read.balance} ${read.currency}`.trim() : "none";
    }
    default:
      return row.call satisfies never;
  }
}

function statesVerdict<One extends { kind: "report" }>(
  answer: StatesAnswer<One>,
  say: (report: One) => string,
): Verdict {
  switch (answer.kind) {
    case "ask_single":
      return `ask_single ${answer.why}`;
    case "about_all":
      return `about_all ${answer.cause}`;
    case "no_answer":
      return "no_answer";
    case "entries": {
      const said = (entry: One | Unreadable) => (entry.kind === "unreadable" ? `unreadable ${entry.why}` : say(entry));
      return Object.fromEntries([...answer.entries].map(([id, entry]) => [id, said(entry)]));
    }
    default:
      return answer satisfies never;
  }
}

function orderVerdict({ order }: AnswerRow, report: Report): string {
  if (!isFinal(report.status)) return `${report.status}, remains ${report.remains ?? "?"}`;
  return `${report.status}, undelivered ${order ? (undeliveredOf(order, report) ?? "?") : "?"}`;
}

export function isSame(one: Verdict, other: Verdict): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns whether a wrong reading acts where nobody should: it accepts, cancels, closes or refunds on its own. */
export function isSilent(right: Verdict, read: Verdict): boolean {
  const ACTS = /^accepted|^rejected|undelivered \d|^Completed$|^Rejected$/;
  const acts = (verdict: Verdict) =>
    (typeof verdict === "string" ? [verdict] : Object.values(verdict)).filter((one) => ACTS.test(one));
  const expected = acts(right);
  return !isSame(right, read) && acts(read).some((one) => !expected.includes(one));
}
