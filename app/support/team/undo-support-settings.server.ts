import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { compareFields, neverUndone, type PreparedUndo, preparedUndo } from "#app/http/edits/undo-plan.ts";
import { labelInSentence } from "#app/words/field-words.ts";
import { DAYS, SUPPORT_SETTING_WORDS } from "#app/words/support-setting-words.ts";
import { readVersionedSettings, saveSettings, settingsText } from "./support-settings.server.ts";
import { parseSettings, settingsTexts } from "./support-settings-input.server.ts";

const OFF = "off";

/**
 * Returns how to undo a change of the support settings, or null for another kind of entry. Parts that have another value by now
 * stay; the rest goes back in one save of the version that was read.
 */
export async function prepareSupportSettingsUndo(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor> | null> {
  if (entry.action !== "settings.change") return null;
  const { settings, version } = await readVersionedSettings(db);
  const words = {
    label: (name: string) => labelInSentence(SUPPORT_SETTING_WORDS, name),
    text: (_: string, value: unknown) => (value ? String(value) : "none"),
  };
  const { back, ...compared } = compareFields(entry.detail, settingsText(settings), words);
  const form = new FormData();
  for (const [name, text] of Object.entries({ ...settingsTexts(settings), ...fieldsOf(back) })) {
    if (text !== null) form.set(name, text);
  }
  const parsed = parseSettings(form);
  if (!parsed.ok) return neverUndone("What it was before doesn't go together with what was changed since.");
  return preparedUndo({ ...compared, version }, async (by: Actor) =>
    (await saveSettings(db, parsed.settings, by, version))
      ? { ok: true }
      : { ok: false, message: "Someone else changed these settings meanwhile. Nothing was undone." },
  );
}

/** Returns the fields of the settings form for what the log has of them. Null: a box without its tick. */
function fieldsOf(parts: Record<string, unknown>): Record<string, string | null> {
  const fields: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(parts)) {
    const text = typeof value === "string" ? value : "";
    const day = DAYS.findIndex((one) => one === name);
    if (day >= 0) {
      const [from = "", to = ""] = text === OFF ? [] : text.split("–");
      fields[`from-${day}`] = from;
      fields[`to-${day}`] = to;
    } else if (name === "hours") fields.hoursOn = text === "on" ? "on" : null;
    else if (name === "assignsInTurn") fields.assignsInTurn = text === "on" ? "on" : null;
    else if (name === "responseTarget") fields.responseMinutes = text === OFF ? "" : text.replace(" min", "");
    else fields[name] = text;
  }
  return fields;
}
