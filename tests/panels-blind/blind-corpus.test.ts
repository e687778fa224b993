import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AnswerRow, isSame, isSilent, type Verdict, verdictOf } from "#tests/panels/answer-verdicts.ts";

/** What the corpus's author says that an answer means. */
type Said =
  | { kind: "accepted" | "deferred" | "about_all"; id?: string | null; cause?: string }
  | { kind: "rejected" | "unknown" | "ask_single" | "no_answer" }
  | { kind: "entries"; entries: Record<string, "unreadable" | SaidOfEntry> }
  | { kind?: undefined; balance: string; currency: string }
  | null;

type SaidOfEntry = { status: string; remains?: number | string | null; undelivered?: number | string | null };

type BlindRow = Pick<AnswerRow, "http" | "raw"> & {
  id: string;
  action: AnswerRow["call"];
  asked: { ids: string[]; mode: "one" | "many"; order: Partial<NonNullable<AnswerRow["order"]>> & { link?: string } };
  verdict: Said;
  also?: Said | Said[];
};

/** Rows that are read as the author's first verdict says, and those that are read as one of the others that are right too. */
const LEAST_RIGHT = { strict: 348, withAlso: 382 };

const ROWS: BlindRow[] = readFileSync(join(import.meta.dirname, "blind-answers.jsonl"), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));

function readRow({ action: call, http, raw, asked }: BlindRow): Verdict {
  const { link = "", ...order } = { type: "Default", quantity: 1000, runs: 1, intervalMinutes: null, ...asked.order };
  const ids = asked.ids.length > 0 ? asked.ids : ["5001"];
  const row = { name: "", source: "", panels: 0, call, http, raw, verdict: "", ids, mode: asked.mode };
  const read = verdictOf({ ...row, order: order as AnswerRow["order"], id: ids[0] ?? "", inputs: link ? [link] : [] });
  return typeof read === "string"
    ? coarse(read, call)
    : Object.fromEntries(Object.entries(read).map(([id, one]) => [id, coarse(one, call)]));
}

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
    return Object.fromEntries(Object.entries(said.entries).map(([id, entry]) => [id, entrySaid(entry)]));
  }
  if ("cause" in said) return `${said.kind} ${said.cause}`;
  return "id" in said && said.id != null ? `${said.kind} ${said.id}` : said.kind;
}

const ENDS = ["Completed", "Partial", "Canceled"];

function entrySaid(entry: "unreadable" | SaidOfEntry): string {
  if (entry === "unreadable") return entry;
  const { status, undelivered } = entry;
  return ENDS.includes(status) && undelivered !== undefined ? `${status}, undelivered ${undelivered ?? "?"}` : status;
}

test("reads what it was not written from as somebody judged who knew no rule, and acts against no verdict", () => {
  const judged = ROWS.map((row) => {
    const verdicts = [row.verdict, ...[row.also ?? []].flat()].map(verdictSaid);
    return { id: row.id, verdicts, read: readRow(row) };
  });
  const strict = judged.filter(({ verdicts: [first], read }) => first !== undefined && isSame(first, read));
  const wrong = judged.filter(({ verdicts, read }) => !verdicts.some((one) => isSame(one, read)));
  console.log(`blind answers: ${strict.length} and ${ROWS.length - wrong.length} of ${ROWS.length} read as judged`);
  for (const { id, verdicts, read } of wrong) console.log(`  ${id}: ${JSON.stringify(read)}, not`, verdicts);
  const acting = wrong.filter(({ verdicts, read }) => verdicts.every((one) => isSilent(one, read)));
  expect(acting.map(({ id }) => id)).toEqual([]);
  expect(strict.length).toBeGreaterThanOrEqual(LEAST_RIGHT.strict);
  expect(ROWS.length - wrong.length).toBeGreaterThanOrEqual(LEAST_RIGHT.withAlso);
});
