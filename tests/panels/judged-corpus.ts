import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type AnswerRow, isSame, isSilent, rowsIn, type Verdict, verdictOf } from "./answer-verdicts.ts";

/** An answer with the verdict of somebody who knew no rule, in words of their own. `also`: others that are right too. */
export type JudgedRow<Said> = Pick<AnswerRow, "http" | "raw"> & {
  id: string;
  action: AnswerRow["call"];
  asked: { ids: string[]; mode: "one" | "many"; order: Partial<NonNullable<AnswerRow["order"]>> & { link?: string } };
  verdict: Said;
  also?: Said | Said[];
};

/** How a corpus's author speaks. `coarse`: puts a reading into these words. */
type Words<Said> = {
  verdictSaid: (said: Said) => Verdict;
  coarse: (read: string, call: AnswerRow["call"]) => string;
};

export function readJudgedRows<Said>(path: string): JudgedRow<Said>[] {
  return rowsIn(readFileSync(path, "utf8"));
}

/**
 * Reads the rows and prints those that nobody judged so. None of these may act, and no fewer than `leastRight` be read as the
 * first verdict says, and as any.
 */
export function expectJudged<Said>(
  corpus: string,
  rows: readonly JudgedRow<Said>[],
  { verdictSaid, coarse }: Words<Said>,
  leastRight: { strict: number; withAlso: number },
): void {
  const judged = rows.map((row) => {
    const verdicts = [row.verdict, ...[row.also ?? []].flat()].map((said) => verdictSaid(said as Said));
    return { id: row.id, verdicts, read: readRow(row, coarse) };
  });
  const strict = judged.filter(({ verdicts: [first], read }) => first !== undefined && isSame(first, read));
  const wrong = judged.filter(({ verdicts, read }) => !verdicts.some((one) => isSame(one, read)));
  const right = rows.length - wrong.length;
  console.log(`${corpus} answers: ${strict.length} and ${right} of ${rows.length} read as judged`);
  for (const { id, verdicts, read } of wrong) console.log(`  ${id}: ${JSON.stringify(read)}, not`, verdicts);
  const acting = wrong.filter(({ verdicts, read }) => verdicts.every((one) => isSilent(one, read)));
  expect(acting.map(({ id }) => id)).toEqual([]);
  expect(strict.length).toBeGreaterThanOrEqual(leastRight.strict);
  expect(right).toBeGreaterThanOrEqual(leastRight.withAlso);
}

/** Returns a row of a judged corpus as a row of the first one, without a verdict. */
export function asAnswerRow({ id: name, action: call, http, raw, asked }: JudgedRow<unknown>): AnswerRow {
  const { link = "", ...order } = { type: "Default", quantity: 1000, runs: 1, intervalMinutes: null, ...asked.order };
  const ids = asked.ids.length > 0 ? asked.ids : ["5001"];
  return {
    ...{ name, source: "", panels: 0, call, http, raw, verdict: "", ids, mode: asked.mode, id: ids[0] ?? "" },
    ...{ order: order as AnswerRow["order"], inputs: link ? [link] : [] },
  };
}

function readRow<Said>(row: JudgedRow<Said>, coarse: Words<Said>["coarse"]): Verdict {
  const read = verdictOf(asAnswerRow(row));
  if (typeof read === "string") return coarse(read, row.action);
  return Object.fromEntries(Object.entries(read).map(([id, one]) => [id, coarse(one, row.action)]));
}

const ENDS = ["Completed", "Partial", "Canceled"];

export type SaidOfOrder = "unreadable" | { status: string; undelivered?: number | string | null };

/** Puts what an author said of one order into the words of a reading, which names what is undelivered of a final one. */
export function orderSaid(said: SaidOfOrder): string {
  if (said === "unreadable") return said;
  const { status, undelivered } = said;
  return ENDS.includes(status) && undelivered !== undefined ? `${status}, undelivered ${undelivered ?? "?"}` : status;
}
