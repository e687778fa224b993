import { forgetDraft, readDraft, writeDraft } from "#app/components/forms/use-draft.ts";

const KEY = "pending-order";

/**
 * Returns the idempotency key to send an order with. If this tab sent the same order before and got no response (the page
 * was reloaded or left), it is that order's key, so that the server returns that order instead of placing a second.
 */
export function keyToSend(content: string, freshKey: string): string {
  const pending = read();
  if (pending?.content === content) return pending.key;
  writeDraft(KEY, JSON.stringify({ content, key: freshKey }));
  return freshKey;
}

/** Forgets the pending order once any response came. */
export function settlePending(): void {
  forgetDraft(KEY);
}

function read(): { content: string; key: string } | null {
  try {
    const value: unknown = JSON.parse(readDraft(KEY) ?? "null");
    if (typeof value !== "object" || value === null || !("content" in value) || !("key" in value)) return null;
    return typeof value.content === "string" && typeof value.key === "string"
      ? { content: value.content, key: value.key }
      : null;
  } catch {
    return null;
  }
}
