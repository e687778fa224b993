import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { entryPath } from "#app/console/audit/audit-row.ts";
import { whyNotUndone } from "#app/console/audit/entry-sentence.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, type AuditEntry, isRepeat } from "#app/db/audit.server.ts";
import { keeping } from "#app/db/undo-kept.ts";
import { onlyPlanned, type PreparedUndo, type UndoPlan } from "#app/http/edits/undo-plan.ts";
import { formText } from "#app/http/requests/read-form.ts";

export const UNDO_INTENT = "undo";
/** More than anybody reads. */
const ROWS_SHOWN = 200;

/** A plan as a page shows it. The form carries the digest, so that exactly what was shown is undone. */
export type ShownUndo = { plan: UndoPlan; digest: string; changes: number; left: number };

export function shownUndo({ plan }: Pick<PreparedUndo<Actor>, "plan">): ShownUndo {
  const digest = sha256(JSON.stringify(plan)).slice(0, 32);
  const changes = plan.kind === "ready" ? plan.changes.length : 0;
  const left = "left" in plan ? plan.left.length : 0;
  const cut = "left" in plan ? { ...plan, left: plan.left.slice(0, ROWS_SHOWN) } : plan;
  const shown = cut.kind === "ready" ? { ...cut, changes: cut.changes.slice(0, ROWS_SHOWN) } : cut;
  return { plan: shown, digest, changes, left };
}

export function notUndone({ action }: Pick<AuditEntry, "action">): PreparedUndo<Actor> {
  return onlyPlanned({ kind: "never", why: whyNotUndone(action) });
}

const CHANGED = "This changed since you saw it, so nothing was undone. Check what undoing does now.";
const REPEATED = "This was already undone. Nothing was done again.";

/** Handles the form that undoes an entry, if its plan is still the one that was shown. Returns null for another form. */
export async function submitEntryUndo(
  actor: Actor,
  entry: AuditEntry,
  prepared: PreparedUndo<Actor>,
  form: FormData,
): Promise<FormOutcome | null> {
  if (formText(form, "intent") !== UNDO_INTENT) return null;
  const refused = (message: string): FormOutcome => {
    return { kind: "shown", status: 409, result: { intent: UNDO_INTENT, ok: false, message } };
  };
  const { plan } = prepared;
  if (plan.kind !== "ready" || shownUndo(prepared).digest !== formText(form, "digest")) return refused(CHANGED);
  const by = { ...actor, undoes: entry.id, ...keeping(plan.left.map(({ label }) => label)) };
  try {
    const undone = await prepared.run(by, { toLoss: form.has("loss") });
    if (!undone.ok) return refused(undone.message);
  } catch (error) {
    if (isRepeat(error)) return refused(REPEATED);
    throw error;
  }
  const what = plan.left.length > 0 ? `Part of entry ${entry.id}` : `Entry ${entry.id}`;
  return { kind: "done", message: `${what} undone.`, to: entryPath(entry.id) };
}
