import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnswerRow, rowsIn } from "#tests/panels/answer-verdicts.ts";
import type { Said, Spelled } from "./provider-dialects.ts";

/** The answers of real panels, each a behavior of the world's provider: what it means was judged before anything read it. */
const ROWS = rowsIn<AnswerRow>(
  readFileSync(join(import.meta.dirname, "..", "..", "..", "panels", "answers.jsonl"), "utf8"),
).filter(({ inputs, hadUnknownAttempt }) => inputs === undefined && hadUnknownAttempt === undefined);

const CAUSES = { key: "deferred key", funds: "deferred funds", pace: "deferred busy" };

/** Rows of one verdict and an id in it that another one can take the place of, by call and verdict. */
const BY_VERDICT = Map.groupBy(ROWS.flatMap(asBehavior), ({ call, means }) => `${call}: ${means}`);
let turn = 0;

/**
 * Returns the answer of a real panel that means the same, with the id of the order or refill in place of its own. Null if none
 * does for certain, such as for a partial order, whose remains would be those of another.
 */
export function corpusAnswer(said: Said, call: string): Spelled | null {
  switch (said.kind) {
    case "refusal": {
      if (said.about !== "call") return answerOf(call, CAUSES[said.about]);
      if (said.text.includes("field is required")) return answerOf(call, "ask_single parameter");
      return answerOf(call, said.text === "Something went wrong" ? "unknown" : "rejected");
    }
    case "order":
    case "refill":
      return answerOf(call, "accepted", String(said.id));
    case "cancels": {
      const [[id, isDone] = ["", false]] = said.entries;
      return answerOf(call, isDone ? "accepted" : "rejected", id);
    }
    case "states":
    case "refill_states": {
      const [[id, state] = ["", null]] = said.entries;
      const status = typeof state === "string" ? state : state?.status;
      const means = KNOWN.find(([spelling]) => spelling.test(status ?? ""))?.[1];
      return means === undefined ? null : answerOf(call, means, id);
    }
    default:
      return null;
  }
}

const KNOWN: [RegExp, string][] = [
  [/^in[\s_-]?progress$/i, "In progress"],
  [/^pending$/i, "Pending"],
  [/^completed?$/i, "Completed"],
  [/^cancell?ed$/i, "Canceled"],
  [/^rejected$/i, "Rejected"],
];

function answerOf(call: string, means: string, id?: string): Spelled | null {
  const rows = BY_VERDICT.get(`${call}: ${means}`) ?? [];
  // One order always gets the same answer to the same state, as from one panel.
  const row = rows[id === undefined ? turn++ % rows.length : Number(id) % rows.length];
  if (!row || (id !== undefined && !/^[1-9]\d{0,14}$/.test(id))) return null;
  const body = row.id === undefined || id === undefined ? row.raw : row.raw.replaceAll(row.id, id);
  return { status: row.http, body, headers: { "Content-Type": "text/html; charset=UTF-8" } };
}

type Behavior = { call: string; means: string; id?: string; http: number; raw: string };

/** Returns what a row means for one order or refill, if it is about one that was asked for alone. */
function asBehavior({ call, verdict, http, raw, ids = [], id, mode = "one", order }: AnswerRow): Behavior[] {
  if (http >= 500) return [];
  const base = { call, http, raw };
  if (typeof verdict === "string") {
    const [kind = "", second = ""] = verdict.split(" ");
    const own = call === "cancel" ? id : second;
    if (kind !== "accepted") return [{ ...base, means: verdict, ...(id !== undefined && { id }) }];
    return isReplaceable(own, raw) ? [{ ...base, means: kind, id: own }] : [];
  }
  const [own] = ids;
  const said = own === undefined ? undefined : verdict[own];
  if (mode !== "one" || ids.length !== 1 || !isReplaceable(own, raw) || said === undefined) return [];
  const [means = "", undelivered = ""] = said.split(", undelivered ");
  const [status = ""] = means.split(", ");
  // A count of what remains would be another order's.
  const isWhole = undelivered === String((order?.quantity ?? 0) * (order?.runs ?? 1)) && !/remain/i.test(raw);
  const isUsable = status === "Canceled" ? isWhole : status !== "Partial";
  return isUsable ? [{ ...base, means: status, id: own }] : [];
}

/** Returns whether an answer names an id that nothing else in it can be mistaken for, or none. */
function isReplaceable(id: string | undefined, raw: string): id is string {
  return id !== undefined && /^\d{3,}$/.test(id) && raw.split(id).length <= 3;
}
