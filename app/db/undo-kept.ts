import { cutText } from "#app/cut-text.ts";
/** The values that an undo left unchanged, in the detail of its entry: the first labels, and how many there are. */
export type UndoKept = { labels: string[]; count: number };

const MAX_LABELS = 20;
const LABEL_CHARS = 60;

/** Returns what an actor records of the parts that an undo leaves as they are: nothing if it undoes all. */
export function keeping(labels: string[]): { kept?: UndoKept } {
  if (labels.length === 0) return {};
  return { kept: { labels: labels.slice(0, MAX_LABELS).map(cut), count: labels.length } };
}

function cut(label: string): string {
  return label.length > LABEL_CHARS ? `${cutText(label, LABEL_CHARS - 1).toWellFormed()}…` : label;
}

/** Reads what an entry of the log says that it left. Null: it undid all, or nothing. */
export function readKept(kept: unknown): UndoKept | null {
  if (typeof kept !== "object" || kept === null) return null;
  const { labels, count } = kept as { labels?: unknown; count?: unknown };
  if (!Array.isArray(labels) || typeof count !== "number") return null;
  return { labels: labels.map(String), count };
}
