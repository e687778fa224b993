import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Meaning, meaningRule } from "#app/orders/providers/conventions/error-meanings.ts";
import { meaningOf } from "#app/orders/providers/reading/error-texts.ts";
import { type AnswerRow, READER, rowsIn } from "./answer-verdicts.ts";

/** An error text of a provider. `meaning`: null where a person has to look. `inputs`: texts of the order that it quotes. */
export type TextRow = { text: string; meaning: Meaning | null; source: string; inputs?: string[] };

/**
 * What the rows were read as before a rule was changed for any of them: right ones, all, and those that acted by mistake.
 * Two later parts met the rules of then: of 41 answers and 72 texts 31 and 55 were right, and 5 and 3 acted; after that, of 12
 * and 22, 9 and 18 were right, and none acted; of 15 about firewalls and 9, 6 and 5.
 */
export const FIRST_RUN = {
  answers: { right: 303, of: 331, silent: 6 },
  texts: { right: 432, of: 481, silent: 10 },
};

/** Rows that are read wrongly by their names, with the reason why that stays so. */
export const KNOWN_WRONG: Record<string, string> = {
  "Order in progress": "it may be this very order, so a person looks",
  "Not enough accounts. Max 12 comments per link right now.":
    "taken for a limit of the link, and sent again either way",
  "Quantity value missing (field=quantity)": "our call may lack a parameter of that provider, so a person looks",
  "هذا الطلب غير مسموح من هذا الموقع.": "the site may be ours or the link's, so a person looks",
};

export const ANSWER_ROWS = rowsOf<AnswerRow>("answers.jsonl");
export const TEXT_ROWS = rowsOf<TextRow>("error-texts.jsonl");

function rowsOf<Row>(file: string): Row[] {
  return rowsIn(readFileSync(join(import.meta.dirname, file), "utf8"));
}

export function nameOf(row: AnswerRow | TextRow): string {
  return "text" in row ? row.text : `${row.call}: ${row.name}`;
}

/** Returns what follows from a meaning: texts with the same consequence are read alike. */
export function consequenceOf(meaning: Meaning | null): string {
  if (meaning === null) return "unknown";
  const rule = meaningRule(meaning);
  return rule.outcome === "deferred" ? `deferred ${rule.cause}` : "rejected";
}

export function readText({ text, inputs = [] }: TextRow, reader = READER): Meaning | null {
  return meaningOf(text, reader, inputs);
}
