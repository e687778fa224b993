import type { Note } from "#app/support/protocol/console-frames.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";

/** A message or a team note in the thread. `key`: stays while others come and go. */
export type Entry = { key: string; at: number } & (
  | { message: SupportMessage; note?: never }
  | { note: Note; message?: never }
);

/** Puts the notes between the messages, by time. Notes older than the first message wait until it is loaded. */
export function threadEntries(messages: SupportMessage[], notes: Note[]): Entry[] {
  const entries: Entry[] = messages.map((message) => ({ key: `${message.seq}`, at: message.created_at, message }));
  const isWhole = messages[0]?.seq === 1;
  const from = isWhole ? Number.NEGATIVE_INFINITY : (messages[0]?.created_at ?? Number.POSITIVE_INFINITY);
  const shown = notes.filter(({ created_at }) => created_at >= from);
  // Without notes the order stays: adopted messages may be older than those before them.
  if (shown.length === 0) return entries;
  const between = shown.map((note): Entry => ({ key: `note-${note.no}`, at: note.created_at, note }));
  return [...entries, ...between].sort((one, other) => one.at - other.at);
}

/** Returns where in the entries a message is, or -1. */
export function indexOfMessage(entries: Entry[], seq: number): number {
  return entries.findIndex(({ message }) => message?.seq === seq);
}
