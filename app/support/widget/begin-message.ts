import { readDraft, writeDraft } from "#app/components/forms/use-draft.ts";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { SESSION_KEY, START_DRAFT } from "#app/support/protocol/session-id.ts";

/** Puts the text into the message field, after what is written there, for a panel that opens next. */
export function beginMessage(text: string): void {
  const id = browserStorage.get(SESSION_KEY);
  const key = id ? `support:${id}` : START_DRAFT;
  const kept = readDraft(key) ?? "";
  // A form's draft has its fields as JSON; what is in it stays.
  if (kept.includes(text)) return;
  if (id) writeDraft(key, kept === "" ? text : `${kept}\n${text}`);
  else if (kept === "") writeDraft(key, JSON.stringify({ message: text }));
}
