import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { type Actor, changedSince, isRepeat } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { fieldErrorsOf, formText, parseForm } from "#app/http/requests/read-form.ts";
import {
  announcementInput,
  deleteAnnouncement,
  readAnnouncement,
  saveAnnouncement,
} from "#app/settings/announcements.server.ts";
import { onceKey } from "../staff-fields.server.ts";
import { announcementTexts } from "./announcement-list.server.ts";

const PATH = "/admin/announcements";
const id = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number);
const existing = z.object({ id, version: id });

const fields = z.object({
  kind: z.string(),
  audience: z.string(),
  body: z.string(),
  link: z.string().default(""),
  linkLabel: z.string().default(""),
  startsAt: z.string(),
  endsAt: z.string(),
});

/** Handles the forms of the announcements' page: a new one, a change, an end now, a deletion. */
export async function submitAnnouncement(db: Db, actor: Actor, form: FormData): Promise<FormOutcome> {
  const intent = formText(form, "intent");
  const which = existing.safeParse({ id: formText(form, "id"), version: formText(form, "version") });
  if (intent === "delete" && which.success) {
    const isDone = await deleteAnnouncement(db, actor, which.data);
    if (isDone) return { kind: "done", message: "Announcement deleted.", to: PATH };
    const message = "Someone else changed this announcement meanwhile. Nothing was deleted.";
    return { kind: "shown", status: 409, result: { intent, ok: false, message } };
  }
  const parsed = parseForm(form, fields);
  if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
  const read = announcementInput.safeParse(parsed.input);
  if (!read.success) {
    const fieldErrors = fieldErrorsOf(read.error, "body");
    return { kind: "shown", status: 400, result: withEdit(parsed.refuse({ fieldErrors }), form) };
  }
  if (intent === "change") return changeAnnouncement(db, actor, form, read.data);
  const once = onceKey.safeParse(form.get("once"));
  if (intent !== "create" || !once.success) throw new Response(null, { status: 400 });
  try {
    await saveAnnouncement(db, actor, read.data, null, once.data);
  } catch (error) {
    if (!isRepeat(error)) throw error;
  }
  return { kind: "done", message: "Announcement scheduled.", to: PATH };
}

async function changeAnnouncement(
  db: Db,
  actor: Actor,
  form: FormData,
  input: z.output<typeof announcementInput>,
): Promise<FormOutcome> {
  const announcement = id.safeParse(form.get("id"));
  if (!announcement.success) throw new Response(null, { status: 400 });
  const { version, at } = readEdit(form);
  if (await saveAnnouncement(db, actor, input, { id: announcement.data, version })) {
    return { kind: "done", message: "Announcement saved.", to: PATH };
  }
  const [current, changed] = await Promise.all([
    readAnnouncement(db, announcement.data),
    changedSince(db, "settings", `announcement ${announcement.data}`, at),
  ]);
  if (!current) {
    const message = "Someone else deleted this announcement. Nothing was saved.";
    return { kind: "shown", status: 409, result: { intent: "change", ok: false, message } };
  }
  const saved = { version: current.version, texts: announcementTexts(current) };
  return { kind: "shown", status: 409, result: conflictForm(form, saved, announcementTexts(input), changed) };
}
