import { forgetDraft, readDraft, writeDraft } from "#app/components/forms/use-draft.ts";

/** A draft is named by the idempotency key that its lines are placed with. */
export const MASS_DRAFT = /^mass-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names the draft that has unsent lines in this tab, for a visit without its URL. */
const LAST = "mass:last";

function keyOf(draft: string): string {
  return `mass:${draft}`;
}

/** Keeps the lines in this tab. `draft` is the key that they are placed with. */
export function keepMassDraft(draft: string, lines: Record<string, string>[]): void {
  if (lines.length === 0) forgetMassDraft(draft);
  else {
    writeDraft(keyOf(draft), JSON.stringify(lines));
    writeDraft(LAST, draft);
  }
}

export function readMassDraft(draft: string): Record<string, string>[] | null {
  try {
    const kept: unknown = JSON.parse(readDraft(keyOf(draft)) ?? "null");
    return Array.isArray(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** Returns the draft with unsent lines, if it is another one. Placing those under a new key could place them twice. */
export function otherMassDraft(draft: string): string | null {
  const last = readDraft(LAST);
  return last !== null && last !== draft && readMassDraft(last) !== null ? last : null;
}

/** Removes the lines, because they were placed or deleted. */
export function forgetMassDraft(draft: string): void {
  forgetDraft(keyOf(draft));
  if (readDraft(LAST) === draft) forgetDraft(LAST);
}
