import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { isRepeat } from "#app/db/audit.server.ts";
import { onceKey } from "#app/db/audit-fields.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  announcementInput,
  deleteAnnouncement,
  readAnnouncement,
  saveAnnouncement,
} from "#app/db/settings/announcements.server.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";

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
    return isDone ? { kind: "done", message: "Announcement deleted.", to: PATH } : conflict(intent, {});
  }
  const parsed = parseForm(form, fields);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const read = announcementInput.safeParse(parsed.input);
  if (!read.success) {
    const fieldErrors: Record<string, string> = {};
    for (const { path, message } of read.error.issues) fieldErrors[String(path[0] ?? "body")] ??= message;
    return { kind: "shown", status: 400, result: parsed.refuse({ fieldErrors }) };
  }
  if (intent === "change" && which.success) {
    if (await saveAnnouncement(db, actor, read.data, which.data)) {
      return { kind: "done", message: "Announcement saved.", to: PATH };
    }
    return conflict(intent, parsed.refuse({}).values, await currentText(db, which.data.id));
  }
  const once = onceKey.safeParse(form.get("once"));
  if (intent !== "create" || !once.success) throw new Response(null, { status: 400 });
  try {
    await saveAnnouncement(db, actor, read.data, null, once.data);
  } catch (error) {
    if (!isRepeat(error)) throw error;
  }
  return { kind: "done", message: "Announcement scheduled.", to: PATH };
}

async function currentText(db: Db, announcement: number): Promise<string> {
  const found = await readAnnouncement(db, announcement);
  return found ? ` It says “${found.body}” now.` : " It was deleted.";
}

function conflict(intent: string, values: Record<string, string>, now = ""): FormOutcome {
  const message = `Someone else changed this announcement meanwhile.${now} Nothing was saved.`;
  return { kind: "shown", status: 409, result: { intent, ok: false, message, values } };
}
