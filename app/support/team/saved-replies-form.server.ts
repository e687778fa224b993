import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, type FieldTexts, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { deleteReply, type Reply, readReply, replyInput, replyOf, saveReply } from "./saved-replies.server.ts";

const REFUSALS = {
  taken: "Another reply uses this shortcut.",
  not_found: "This reply was deleted. Save it as a new one.",
  full: "There are 5,000 saved replies, the most there can be. Delete one first.",
};
const NOT_DELETED = "Someone else changed this reply since you saw it, so it wasn't deleted. Check it first.";

/** Returns a reply as its form shows it. */
export function replyTexts({ shortcut, body, effects }: Pick<Reply, "shortcut" | "body" | "effects">): FieldTexts {
  const { tags, assignTo, note, next } = effects;
  return { shortcut, body, tags: tags.join(", "), assignTo, note, next };
}

/** Handles the forms of the saved replies: saving one (without an id, a new one) and deleting one. */
export async function submitReplyForm(db: Db, actor: Actor, form: FormData): Promise<FormOutcome> {
  const id = parseId(form.get("id"));
  const { version, at } = readEdit(form);
  if (form.get("intent") === "delete") {
    const isDeleted = id === null || (await deleteReply(db, { id, version }, actor));
    return { kind: "done", message: isDeleted ? "Reply deleted." : NOT_DELETED };
  }
  const parsed = parseForm(form, replyInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
  const saved = await saveReply(db, id === null ? null : { id, version }, parsed.input, actor);
  if (saved.ok) return { kind: "done", message: `Reply saved. Type /${parsed.input.shortcut} to use it.` };
  const current = id !== null && saved.reason === "stale" ? await readReply(db, id) : undefined;
  if (id !== null && current) {
    const changed = await changedSince(db, "reply", id, at);
    const shown = { version: current.version, texts: replyTexts(current) };
    const result = conflictForm(form, shown, replyTexts(replyOf(parsed.input)), changed);
    return { kind: "shown", status: 409, result };
  }
  const why = REFUSALS[saved.reason === "stale" ? "not_found" : saved.reason];
  return { kind: "shown", status: 409, result: withEdit(parsed.refuse({ fieldErrors: { shortcut: why } }), form) };
}
