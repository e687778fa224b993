import { ownValue } from "#app/own-value.ts";

/**
 * What the fields of a thing are called, and what their values are called if these are no words: in its form and what it
 * reports of a conflict, in lists, the activity log and a plan to undo. Each label starts with a capital letter.
 */
export type FieldWords = { readonly [field: string]: string | FieldWord };

/** A field in words. `valueKind` and `names` are of values in the audit log that no column explains. */
export type FieldWord = {
  readonly label: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly valueKind?: ValueKind;
  /** The subject of audit entries that the value is the id of: "customer". */
  readonly names?: string;
  /** Its values stand in quotation marks, as they are in the form. */
  readonly isQuoted?: true;
};

/** Micro-units or a decimal text, ms, hundredths of a percent, and a last day, or the moment after it in ms or ISO 8601. */
export type ValueKind = "money" | "time" | "basisPoints" | "lastDay";

/** Returns what a field is called as a label, or undefined if the words don't have it. */
export function labelOf(words: FieldWords, field: string): string | undefined {
  const known = ownValue(words, field);
  return typeof known === "object" ? known.label : known;
}

/** Returns what a field is called inside a sentence, or its name in code if the words don't have it. */
export function labelInSentence(words: FieldWords, field: string): string {
  return inSentence(labelOf(words, field) ?? field);
}

/** Returns what a value of a field is called, or undefined if it is a word already. */
export function valueWords(words: FieldWords, field: string, value: string): string | undefined {
  const known = ownValue(words, field);
  return typeof known === "object" ? ownValue(known.values, value) : undefined;
}

/** Returns a value of a field inside a sentence. */
export function valueInSentence(words: FieldWords, field: string, value: string): string {
  const known = valueWords(words, field, value);
  return known === undefined ? value : inSentence(known);
}

/** Returns the labels by field, by which a form names those of a conflict. */
export function labelsOf(words: FieldWords): Record<string, string> {
  return Object.fromEntries(Object.keys(words).map((field) => [field, labelOf(words, field) ?? field]));
}

/** Names keep their capital letter inside a sentence. */
const NAMES = /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/;

/** Returns a label or value inside a sentence: "Link check" is "link check" there, and "API URL" stays. */
export function inSentence(words: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(words) && !NAMES.test(words)
    ? words.charAt(0).toLowerCase() + words.slice(1)
    : words;
}
