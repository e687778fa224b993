import type { Formats } from "#app/components/formats/number-formats.ts";
import { ownValue } from "#app/own-value.ts";
import type { EntryWords, Part } from "../resource/entry-words.ts";
import { fieldLabel, fieldText, isEmptyField, isEmptyList } from "./audit-fields.ts";
import type { AuditRow } from "./audit-row.ts";
import { subjectPart } from "./audit-subjects.ts";

/** A field with its value, or with its values before and after. Texts, as a person reads them. */
export type Fact = { name: string; label: string; before: string | null; after: string };

/** Fields that every sentence tells, or that stand below it by themselves. */
const NEVER_LISTED = new Set(["reason", "undoes", "kept", "restore"]);
const LISTED_FIELDS = 3;

/** What a sentence is made from. What it tells of an entry's detail is not listed again below it. */
export class Telling implements EntryWords {
  readonly subject: Part;
  readonly detail: Record<string, unknown>;
  readonly #entry: AuditRow;
  readonly #formats: Formats;
  readonly #told = new Set<string>(NEVER_LISTED);

  constructor(entry: AuditRow, formats: Formats) {
    this.#entry = entry;
    this.#formats = formats;
    this.detail = entry.detail;
    this.subject = subjectPart(entry);
  }

  /** Tells the value of a field, and of one that changed the newer one. */
  text(name: string): string {
    this.#told.add(name);
    const value = ownValue(this.detail, name);
    return this.#text(name, isChange(value) ? value[1] : value);
  }

  /** Leaves out fields that need no telling. */
  skip(...names: string[]): Part {
    for (const name of names) this.#told.add(name);
    return "";
  }

  /** Tells a number with its noun: "3 codes". */
  count(name: string, one: string, many = `${one}s`): string {
    this.#told.add(name);
    const value = ownValue(this.detail, name);
    const count = typeof value === "number" ? value : Object.keys((value as object | null) ?? {}).length;
    return count === 1 ? `1 ${one}` : `${this.#formats.number(count)} ${many}`;
  }

  /** Tells what a field was and is, or returns null if it didn't change. */
  change(name: string): { from: string; to: string; isRise: boolean } | null {
    const value = ownValue(this.detail, name);
    if (!isChange(value)) return null;
    this.#told.add(name);
    const [from, to] = value;
    return { from: this.#text(name, from), to: this.#text(name, to), isRise: Number(to) > Number(from) };
  }

  /** The fields that changed. */
  get changed(): string[] {
    return Object.keys(this.detail).filter((name) => !NEVER_LISTED.has(name) && isChange(ownValue(this.detail, name)));
  }

  /** Tells which fields changed, and of a single one what it was and is. */
  changes(): Part[] {
    const { changed, subject } = this;
    const [only] = changed;
    if (only === undefined) return ["saved ", subject, " without a change"];
    if (changed.length === 1 && isShort(ownValue(this.detail, only))) {
      const change = this.change(only);
      return [
        `changed the ${fieldLabel(only, this.#entry.fields)} of `,
        subject,
        ` from ${change?.from} to ${change?.to}`,
      ];
    }
    const named = changed
      .slice(0, changed.length > LISTED_FIELDS ? LISTED_FIELDS - 1 : LISTED_FIELDS)
      .map((name) => fieldLabel(name, this.#entry.fields));
    const others = changed.length - named.length;
    return [`changed the ${inWords(others > 0 ? [...named, `${others} more`] : named)} of `, subject];
  }

  /** Facts that the sentence didn't tell. Of something new or deleted, only fields that have a value. */
  facts(): Fact[] {
    const isWhole = wholeSide(this.#entry.action) !== null;
    return factsOf(this.#entry, this.#formats).filter(
      ({ name }) => !this.#told.has(name) && !(isWhole && [ownValue(this.detail, name)].flat().every(isEmptyField)),
    );
  }

  #text(name: string, value: unknown): string {
    return fieldText(name, value, { ...this.#entry, formats: this.#formats });
  }
}

/** Returns all fields of an entry with their values. Something new has none before, and something deleted none after. */
export function factsOf({ action, detail, names, fields }: AuditRow, formats: Formats): Fact[] {
  const text = (name: string, value: unknown) => fieldText(name, value, { fields, formats, names });
  const side = wholeSide(action);
  return Object.entries(detail)
    .filter(([name, value]) => !NEVER_LISTED.has(name) && !isEmptyList(value))
    .map(([name, value]) => {
      const label = fieldLabel(name, fields);
      if (!isChange(value) || name === "services") return { name, label, before: null, after: text(name, value) };
      if (side !== null) return { name, label, before: null, after: text(name, value[side]) };
      return { name, label, before: text(name, value[0]), after: text(name, value[1]) };
    });
}

/** Returns which of a field's two values says what was created (1) or deleted (0), or null if the action did neither. */
function wholeSide(action: string): 0 | 1 | null {
  if (/\.(create|add)$/.test(action)) return 1;
  return /\.(delete|remove)$/.test(action) ? 0 : null;
}

/** A pair of plain values is a change. Lists of ids are under `services`. */
function isChange(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one !== "object" || one === null);
}

const SHORT_CHARS = 60;

function isShort(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => String(one).length <= SHORT_CHARS);
}

export function inWords(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
