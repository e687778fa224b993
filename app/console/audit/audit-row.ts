import type { FieldWord } from "#app/words/field-words.ts";
import type { Part } from "../resource/entry-words.ts";

/** Names of the rows that an entry mentions, by keys such as `service 12`. Null if a row is deleted or has no name. */
export type AuditNames = Record<string, string | null>;

/** Labels and kinds of values of the fields in a detail, where they are known. */
export type LoggedFields = Record<string, Partial<FieldWord>>;

/** An audit entry as a list shows it. */
export type AuditRow = {
  id: number;
  actorId: string;
  actorName: string;
  action: string;
  subjectType: string;
  subjectId: string;
  detail: Record<string, unknown>;
  createdAt: number;
  names: AuditNames;
  fields: LoggedFields;
};

export function entryPath(id: number): string {
  return `/admin/audit/${id}`;
}

/** Returns the text of the sentence without its links. */
export function plainText(parts: Part[]): string {
  return parts.map((part) => (typeof part === "string" ? part : part.text)).join("");
}
