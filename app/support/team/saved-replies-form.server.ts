import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { deleteReply, replyInput, saveReply } from "./saved-replies.server.ts";

const REFUSALS = {
  taken: "Another reply uses this shortcut.",
  not_found: "This reply was deleted. Save it as a new one.",
  full: "There are 300 saved replies, the most there can be. Delete one first.",
  changed: "Someone else just changed this reply. Reload the page to see it.",
};

/** Handles the forms of the saved replies: saving one (without an id, a new one) and deleting one. */
export async function submitReplyForm(db: Db, actor: Actor, form: FormData): Promise<FormOutcome> {
  const id = parseId(form.get("id"));
  if (form.get("intent") === "delete") {
    const deleted = id === null || (await deleteReply(db, id, actor));
    return { kind: "done", message: deleted ? "Reply deleted." : REFUSALS.changed };
  }
  const parsed = parseForm(form, replyInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const saved = await saveReply(db, id, parsed.input, actor);
  if (saved.ok) return { kind: "done", message: `Reply saved. Type /${parsed.input.shortcut} to use it.` };
  const result = parsed.refuse({ fieldErrors: { shortcut: REFUSALS[saved.reason] } });
  return { kind: "shown", status: 409, result };
}
