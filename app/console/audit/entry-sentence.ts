import type { Formats } from "#app/components/formats/number-formats.ts";
import { readKept, type UndoKept } from "#app/db/undo-kept.ts";
import { ownValue } from "#app/own-value.ts";
import type { Part } from "../resource/entry-words.ts";
import { resourceOf } from "../resources/all-resources.ts";
import { type AuditRow, entryPath, plainText } from "./audit-row.ts";
import { ELSEWHERE, SENTENCES, type Sentence, VERBS } from "./audit-sentences.ts";
import { subjectPart } from "./audit-subjects.ts";
import { type Fact, inWords, Telling } from "./telling.ts";

/** An entry in words. `facts` is what the sentence doesn't say of it. */
export type Told = { parts: Part[]; facts: Fact[]; reason: string };

/** Returns an entry as a sentence: "Ada raised the rate of Followers from $2.00 to $9.00". */
export function putInWords(entry: AuditRow, formats: Formats): Told {
  const telling = new Telling(entry, formats);
  const actor = entry.actorName || "A deleted account";
  const said = sentenceOf(entry.action)?.[1](telling) ?? ["did ", entry.action, " to ", subjectPart(entry)];
  const { undoes, reason } = entry.detail;
  const kept = readKept(entry.detail.kept);
  const undone: Part[] =
    typeof undoes === "number"
      ? [kept ? ", undoing part of " : ", undoing ", { text: `entry ${undoes}`, to: entryPath(undoes) }]
      : [];
  const parts = [`${actor} `, ...said, ...undone].filter((part) => part !== "");
  return { parts, facts: telling.facts(), reason: typeof reason === "string" ? reason : "" };
}

/** Returns the names of what an undo left as it was: "rate, name and 3 more". */
export function keptInWords({ labels, count }: UndoKept, { number }: Formats): string {
  return inWords(count > labels.length ? [...labels, `${number(count - labels.length)} more`] : labels);
}

export function tellPlainly(entry: AuditRow, formats: Formats): string {
  return plainText(putInWords(entry, formats).parts);
}

/** Returns the name of an action: "Refunded an order". */
export function actionName(action: string): string {
  return sentenceOf(action)?.[0] ?? action;
}

/** Returns why an action can't be undone from the log. */
export function whyNotUndone(action: string): string {
  return sentenceOf(action)?.[2] ?? ELSEWHERE;
}

function sentenceOf(action: string): Sentence | undefined {
  return ownValue<Sentence>(SENTENCES, action) ?? resourceSentence(action);
}

function resourceSentence(action: string): Sentence | undefined {
  const resource = resourceOf(action);
  const verb = action.slice(action.indexOf(".") + 1);
  const done = ownValue<string>(VERBS, verb);
  if (!resource || done === undefined) return undefined;
  const name = `${done.charAt(0).toUpperCase()}${done.slice(1)} ${resource.noun}`;
  const say = ownValue(resource.sentences, verb);
  return [
    name,
    (entry) => say?.(entry) ?? (verb === "change" ? entry.changes() : [`${done} `, entry.subject]),
    resource.neverUndone ?? null,
  ];
}
