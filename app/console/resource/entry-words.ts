/** A piece of a sentence about an entry of the audit log. With `to`, it links to the page of what it names. */
export type Part = string | { text: string; to: string | null };

/** The parts that an entry's sentence is built from. A detail that the sentence uses is not listed again below it. */
export interface EntryWords {
  readonly subject: Part;
  readonly detail: Record<string, unknown>;
  /** Says the value of a field, and of one that changed the newer one. */
  text(name: string): string;
  /** Says a number with its noun: "3 codes". */
  count(name: string, one: string): string;
  /** Leaves out fields that need no saying. */
  skip(...names: string[]): Part;
  /** Says which fields changed, and of a single one what it was and is. */
  changes(): Part[];
}
