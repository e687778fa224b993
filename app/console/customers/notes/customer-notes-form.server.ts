import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { onceKey, requiredText, rowId } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { NOTE_INTENTS, NOTE_MAX_CHARS } from "./customer-note-fields.ts";
import { addNote, deleteNote } from "./customer-notes.server.ts";

const noteInput = z.object({
  // The database counts characters up to the first NUL.
  body: requiredText(NOTE_MAX_CHARS).refine((text) => !text.includes("\0"), "Use plain text"),
  once: onceKey,
});
const deletedInput = z.object({ note: rowId });

/** Returns whether the form is one of the notes. They move no money and change no account, so they ask for no proof. */
export function isNoteForm(form: FormData): boolean {
  const intent = form.get("intent");
  return intent === NOTE_INTENTS.add || intent === NOTE_INTENTS.delete;
}

/** Handles the forms that add and delete a note about a customer. */
export async function submitNoteForm(
  db: Db,
  by: { actor: Actor; isAdmin: boolean },
  userId: string,
  form: FormData,
): Promise<FormOutcome> {
  if (form.get("intent") === NOTE_INTENTS.delete) {
    const parsed = parseForm(form, deletedInput);
    if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
    if (await deleteNote(db, by, userId, parsed.input.note)) return { kind: "done", message: "Note deleted." };
    const message = "This note is gone already, or a teammate wrote it.";
    return { kind: "shown", status: 409, result: parsed.refuse({ message }) };
  }
  const parsed = parseForm(form, noteInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const added = await addNote(db, by.actor, userId, parsed.input.body, parsed.input.once);
  if (added.ok) return { kind: "done", message: "Note saved." };
  if (added.reason === "repeated") return { kind: "done", message: "This note was saved before." };
  return { kind: "shown", status: 404, result: parsed.refuse({ message: "Customer not found." }) };
}
