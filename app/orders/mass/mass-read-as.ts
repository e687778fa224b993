import { SEPARATOR_NAMES, type Separator, type TableEncoding } from "#app/http/table-text.ts";

/** How lines were read. `separator` is null if each is one cell, `encoding` if it can't be told, and missing for pasted text. */
export type ReadAs = { separator: Separator | null; encoding?: TableEncoding | null | undefined };

/** Says how lines were read where a person may want to check it: not for UTF-8 with commas, nor for lines as people type them. */
export function readAsText({ separator, encoding }: ReadAs): string | null {
  const isPasted = encoding === undefined;
  const isPlain = separator === null || separator === "," || separator === "|";
  if (isPlain && (isPasted || encoding === "UTF-8")) return null;
  const separated = separator === null ? "" : `separated by ${SEPARATOR_NAMES[separator]}`;
  if (isPasted) return `Read as text ${separated}.`;
  return `Read as ${[encoding ?? "UTF-8", separated].filter((part) => part !== "").join(", ")}.`;
}
