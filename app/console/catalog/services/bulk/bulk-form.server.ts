import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { keeping } from "#app/db/undo-kept.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { refusalText } from "#app/orders/services/service-guard.ts";
import { applyPlan, type BulkRefusal, type Planned, planChange, planUndo, readBulkEntry } from "./apply-bulk.server.ts";
import { bulkChangeText } from "./bulk-change-text.ts";
import { readBulkInput } from "./bulk-input.server.ts";
import { readSelection } from "./selected-services.server.ts";

export const APPLY_INTENT = "apply";

const NOTHING = "Nothing is left to change.";
const UNDONE = "This change was already undone. To undo that, open the change that undid it.";

/** Handles the form that applies the change in the URL to its selection. Returns null for an unknown form. */
export async function submitBulkForm(
  db: Db,
  actor: Actor,
  params: URLSearchParams,
  form: FormData,
): Promise<FormOutcome | null> {
  const { change, kind } = readBulkInput(params);
  const planned = change && (await planChange(db, readSelection(params), change));
  return planned && apply(db, actor, planned, form, { change: bulkChangeText(change), kind });
}

/** Handles the form that undoes a change of many services. Returns null for an unknown change. */
export async function submitUndoForm(
  db: Db,
  actor: Actor,
  entryId: number,
  form: FormData,
): Promise<FormOutcome | null> {
  const entry = await readBulkEntry(db, entryId);
  if (!entry) return null;
  const planned = await planUndo(db, entry);
  const by = { ...actor, undoes: entryId, ...keeping(planned.plan.left.map(({ name }) => name)) };
  return apply(db, by, planned, form, { change: `Undid change ${entryId}` });
}

async function apply(
  db: Db,
  actor: Actor,
  planned: Planned,
  form: FormData,
  about: Record<string, unknown>,
): Promise<FormOutcome | null> {
  const intent = formText(form, "intent");
  if (intent !== APPLY_INTENT) return null;
  const agreed = { digest: formText(form, "digest"), toLoss: form.has("loss") };
  const applied = await applyPlan(db, actor, planned, agreed, about);
  if (!applied.ok) {
    return { kind: "shown", status: 409, result: { intent, ok: false, message: textOf(applied.reason) } };
  }
  const services = applied.changed === 1 ? "1 service" : `${applied.changed.toLocaleString("en-US")} services`;
  return { kind: "done", message: `Changed ${services}.`, to: `/admin/services/changes/${applied.entryId}` };
}

function textOf(reason: BulkRefusal): string {
  if (reason === "nothing") return NOTHING;
  if (reason === "undone") return UNDONE;
  return refusalText(reason === "changed" ? "stale" : reason);
}
