import { join } from "node:path";
import { test } from "vitest";
import type { AnswerRow, Verdict } from "#tests/panels/answer-verdicts.ts";
import { expectJudged, orderSaid, readJudgedRows, type SaidOfOrder } from "#tests/panels/judged-corpus.ts";

/** What the corpus's author says that an answer means. */
type Said =
  | { kind: "accepted" | "deferred" | "about_all"; id?: string | null; cause?: string }
  | { kind: "rejected" | "unknown" | "ask_single" | "no_answer" }
  | { kind: "entries"; entries: Record<string, SaidOfOrder> }
  | { kind?: undefined; balance: string; currency: string }
  | null;

/** Rows that are read as the author's first verdict says, and those that are read as one of the others that are right too. */
const LEAST_RIGHT = { strict: 348, withAlso: 382 };

const ROWS = readJudgedRows<Said>(join(import.meta.dirname, "blind-answers.jsonl"));

/** Puts a reading into the author's words, which know fewer causes and no reasons. */
function coarse(read: string, call: AnswerRow["call"]): string {
  const [kind = "", second = ""] = read.split(" ");
  if (call === "balance") return read === "none" ? read : kind;
  if (kind === "unreadable" || kind === "ask_single") return kind;
  if (kind === "accepted") return second === "" ? kind : `${kind} ${second}`;
  if (kind !== "deferred") return read.replace(/, remains .*/, "");
  if (call === "cancel") return "unknown";
  const CAUSES: Record<string, string> = { service: "busy", active_order: "link" };
  return `deferred ${CAUSES[second] ?? second}`;
}

function verdictSaid(said: Said): Verdict {
  if (said === null) return "none";
  if (said.kind === undefined) return String(Math.round(Number(said.balance) * 1e6));
  if (said.kind === "entries") {
    return Object.fromEntries(Object.entries(said.entries).map(([id, entry]) => [id, orderSaid(entry)]));
  }
  if ("cause" in said) return `${said.kind} ${said.cause}`;
  return "id" in said && said.id != null ? `${said.kind} ${said.id}` : said.kind;
}

test("reads what it was not written from as somebody judged who knew no rule, and acts against no verdict", () => {
  expectJudged("blind", ROWS, { verdictSaid, coarse }, LEAST_RIGHT);
});
