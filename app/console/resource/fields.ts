import type { AuditSubject } from "#app/db/schema/audit-vocabulary.ts";

/** The kind of value that a field holds. Amounts are in micro-units, percentages in basis points, days in ms UTC. */
type Kind =
  /** One line of text. `suggestions`: the page offers some. */
  | { kind: "line"; max: number; check?: (text: string) => string | null; suggestions?: true }
  | { kind: "text"; max: number; rows: number }
  | { kind: "money"; above?: number }
  | { kind: "percent" | "count"; min: number; max: number }
  /** A day's first moment, or the moment after a last day. */
  | { kind: "day" | "lastDay" }
  /** A minute in UTC. A new record starts with the one `fromNow` ms from now. */
  | { kind: "moment"; fromNow: number }
  /** One of `values`, or of those the page offers. */
  | { kind: "choice"; values: Readonly<Record<string, string>> };

export type Field = Kind & {
  /** Starts with a capital letter. A list, the audit log and a plan to undo call it the same. */
  label: string;
  help?: string;
  optional?: true;
  /** The value that the form of a new record starts with. */
  initial?: string | number;
  /** Its name in the details of audit entries, where it differs. */
  logged?: string;
  /** The subject of audit entries that its value is the id of. */
  names?: AuditSubject;
  /** Starts a group of fields under this heading. */
  heading?: string;
};

export type Fields = Readonly<Record<string, Field>>;

/** The value that a field's text is read as. An optional field left empty is null, and an empty text "". */
export type FieldValue<One extends Field> = One["kind"] extends "line" | "text" | "choice"
  ? string
  : One extends { optional: true }
    ? number | null
    : number;

export type FieldValues<All extends Fields> = { [Name in keyof All]: FieldValue<All[Name]> };

/** Formats a moment (ms) as the text of its field: "2026-11-27T08:00". */
export function momentText(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}
