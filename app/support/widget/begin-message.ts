import { readDraft, writeDraft } from "#app/components/forms/use-draft.ts";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { SESSION_KEY, START_DRAFT } from "#app/support/protocol/session-id.ts";

/** Names the order in the message field of a panel that opens next. What is written there stays as it is. */
export function beginMessage(order: string): void {
  const message = `About order ${order}: `;
  const id = browserStorage.get(SESSION_KEY);
  const key = id ? `support:${id}` : START_DRAFT;
  if (!readDraft(key)) writeDraft(key, id ? message : JSON.stringify({ message }));
}
