import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { readVersionedSettings, SETTINGS_SUBJECT, saveSettings } from "./support-settings.server.ts";
import { parseSettings, settingsTexts } from "./support-settings-input.server.ts";

/** Handles the form of the support settings. */
export async function submitSettingsForm(db: Db, actor: Actor, form: FormData): Promise<FormOutcome> {
  const parsed = parseSettings(form);
  if (!parsed.ok) {
    const { fieldErrors, values } = parsed;
    return { kind: "shown", status: 400, result: withEdit({ intent: "", ok: false, fieldErrors, values }, form) };
  }
  const { version, at } = readEdit(form);
  if (await saveSettings(db, parsed.settings, actor, version)) {
    return { kind: "done", message: "Settings saved. They apply to open conversations within a minute." };
  }
  const saved = await readVersionedSettings(db);
  const changed = await changedSince(db, "settings", SETTINGS_SUBJECT, at);
  const current = { version: saved.version, texts: settingsTexts(saved.settings) };
  const result = conflictForm(form, current, settingsTexts(parsed.settings), changed);
  return { kind: "shown", status: 409, result };
}
