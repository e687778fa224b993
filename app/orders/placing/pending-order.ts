const STORED = "growline.order.pending.v1";

/**
 * The key to send an order with. When the same order was sent from this tab before and no answer came (the page was
 * reloaded or left meanwhile), it is that one's key, so that the server answers with that order instead of a second.
 */
export function keyToSend(content: string, freshKey: string): string {
  const pending = read();
  if (pending?.content === content) return pending.key;
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ content, key: freshKey }));
  } catch {
    // Storage is full or refused: a reload in the middle is then not covered.
  }
  return freshKey;
}

/** An answer came, whichever. */
export function settlePending(): void {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // Nothing was stored either.
  }
}

function read(): { content: string; key: string } | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? "null");
    if (typeof value !== "object" || value === null || !("content" in value) || !("key" in value)) return null;
    return typeof value.content === "string" && typeof value.key === "string"
      ? { content: value.content, key: value.key }
      : null;
  } catch {
    return null;
  }
}
