import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import type { Role } from "#app/db/schema.server.ts";
import type { FieldWords } from "#app/words/field-words.ts";
import type { EntryWords, Part } from "./entry-words.ts";
import type { Fields } from "./fields.ts";

/** The kinds of records, each of which its definition adds. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where the kinds are
export interface ResourceTypes {}

/** The subject of the audit entries about a record, with which their actions begin. */
export type ResourceType = keyof ResourceTypes;

/** Choices and suggestions that the page reads, by field: what each value is called. */
export type Options = Record<string, Record<string, string>>;

/** Context in which a cell is drawn. `now` is in ms. */
export type CellContext = { formats: Formats; options: Options; now: number };

export type ResourceColumn<Row> = Omit<Column<Row>, "cell" | "isAction"> & {
  cell: (row: Row, context: CellContext) => ReactNode;
  /** A second, smaller line. */
  under?: (row: Row, context: CellContext) => ReactNode;
};

/** A button of each row. */
export type RowAction<Row> = {
  label: string;
  /** Names the button for screen readers: "Disable the code ending in 7KQX". */
  named: (row: Row) => string;
  when?: (row: Row) => boolean;
  /** Asks before it is done. */
  confirm?: { question: string; about: (row: Row) => string; button: string };
};

/** Audited actions that every kind of record can have. A kind's other actions are in audit-sentences.ts. */
export type RecordAction = `${ResourceType}.${"create" | "change" | "delete" | "disable"}`;

/** A record as the list has it. `version`: raised by each change, for records that people edit. */
export type ResourceRow = { id: number; version?: number };

/**
 * A kind of record that staff manage in the console: its fields, list, form and words. The page, its action, its export, the
 * audit log and undo read it. What is stored, and the SQL of the list, stand in its store.
 */
export type Resource<Row extends ResourceRow = ResourceRow> = {
  type: ResourceType;
  /** Its page is at /admin and this name, after the page at the path `follows` in the console's menu. */
  page: { name: string; label: string; follows: string };
  /** Inside a sentence, with its article: "a percent code". */
  noun: string;
  intro: string;
  icon: LucideIcon;
  /** Names one in the audit log: "the percent code “Autumn”". */
  called: (name: string) => string;
  /** The field of an entry's detail that holds the name of one that is gone, and how the name is written: "/hello". */
  nameField: string;
  nameOf?: (text: string) => string;
  /** Who may change them. Only admins by default. */
  roles?: readonly Exclude<Role, "customer">[];
  withoutProof?: true;
  /** Its form takes effect once, by a key. */
  once?: true;
  /** Each has a page of its own, at its id below the path. */
  hasOwnPages?: true;
  /** The name of its list's export, if it isn't that of the page. */
  exportedAs?: string;
  fields: Fields;
  /** What its list and the audit log have besides the fields. */
  facts?: FieldWords;
  /** Without `save`, what was created isn't edited. With `isAbove`, the form stands above the list instead of beside it. */
  form: { new: string; add: string; save?: string; isAbove?: true };
  empty: { title: string; text: string };
  /** The search of its list, if it has one. */
  search?: { placeholder: string };
  columns: (context: { formats: Formats }) => ResourceColumn<Row>[];
  actions: Record<string, RowAction<Row>>;
  /** Sentences of the audit log that say more than "created the percent code “Autumn”", by the action. */
  sentences?: Record<string, (entry: EntryWords) => Part[]>;
  /** Why its entries in the audit log can't be undone, if they can't. */
  neverUndone?: string;
  /** Shows what creating one returned, once. */
  Created?: (created: { created: Record<string, string> }) => ReactNode;
};

export function pathOfPage({ page }: Pick<Resource, "page">): string {
  return `/admin/${page.name}`;
}

/** Returns the name of a resource's export. */
export function exportName({ page, exportedAs = page.name }: Pick<Resource, "page" | "exportedAs">): string {
  return exportedAs;
}

/** Returns what the fields are called in the details of audit entries, and what their values are. */
export function loggedWords({ fields, facts = {} }: Pick<Resource, "fields" | "facts">): FieldWords {
  const words = Object.entries(fields).map(([name, field]) => {
    const { label, kind, names } = field;
    const known = {
      label,
      ...("values" in field && { values: field.values }),
      ...((kind === "money" || kind === "lastDay") && { valueKind: kind }),
      ...(names && { names }),
    };
    return [field.logged ?? name, known] as const;
  });
  return { ...facts, ...Object.fromEntries(words) };
}
