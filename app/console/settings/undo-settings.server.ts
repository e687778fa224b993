import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { compareFields, neverUndone, type PreparedUndo, preparedUndo } from "#app/http/edits/undo-plan.ts";
import { ownValue } from "#app/own-value.ts";
import { loggedName, loggedText, loggedTexts, readLogged, settingWords } from "#app/settings/setting.ts";
import { listSettings, saveSetting } from "#app/settings/settings-store.server.ts";
import { SETTING_NAMES, settingOf } from "#app/settings/site-settings.ts";
import { readVersionedSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { SUPPORT_SETTINGS, toValues } from "#app/support/team/team-settings.ts";
import { labelInSentence, valueWords } from "#app/words/field-words.ts";
import { alongsideSetting } from "./site-settings-form.server.ts";
import { acceptSettings } from "./support-settings-form.server.ts";

type Context = Pick<AppLoadContext, "db" | "env" | "waitUntil">;

/** Returns how to undo a change of a setting, or null for another kind of entry. */
export async function prepareSettingUndo(context: Context, entry: AuditEntry): Promise<PreparedUndo<Actor> | null> {
  switch (entry.action) {
    case "setting.change":
      return undoSetting(context, entry);
    case "settings.change":
      return undoSupportSettings(context.db, entry);
    default:
      return null;
  }
}

async function undoSetting(context: Context, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const { db, env } = context;
  const name = SETTING_NAMES.find((known) => known === entry.subjectId);
  const current = (await listSettings(db, env)).find((one) => one.name === name);
  if (name === undefined || current === undefined) return neverUndone("There is no such setting any more.");
  const setting = settingOf(name);
  const known = settingWords({ [name]: setting });
  const words = {
    label: () => setting.label,
    text: (_: string, value: unknown) => valueWords(known, name, String(value)) ?? (String(value) || "empty"),
  };
  const { back, ...compared } = compareFields(entry.detail, { [name]: loggedText(setting, current.value) }, words);
  const { version } = current;
  const value = setting.value.safeParse(readLogged(setting, String(ownValue(back, name) ?? "")));
  if (Object.hasOwn(back, name) && !value.success)
    return neverUndone("The previous value is outside the current limits.");
  return preparedUndo({ ...compared, version }, async (by: Actor) => {
    const alongside = alongsideSetting(context, by, name, value.data);
    const saved = await saveSetting(db, env, by, { name, value: value.data, version }, alongside);
    if (saved.ok && alongside) sendQueuedSoon(context);
    return saved.ok ? { ok: true } : { ok: false, message: "Someone else changed this meanwhile. Nothing was undone." };
  });
}

/** Parts that have another value by now stay; the rest goes back in one save of the version that was read. */
async function undoSupportSettings(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const { settings, version } = await readVersionedSettings(db);
  const known = settingWords(SUPPORT_SETTINGS);
  const words = {
    label: (name: string) => labelInSentence(known, name),
    text: (_: string, value: unknown) => (value ? String(value) : "none"),
  };
  const texts = loggedTexts(SUPPORT_SETTINGS, toValues(settings));
  const { back, ...compared } = compareFields(entry.detail, texts, words);
  const read = acceptSettings((name, setting) => {
    const part = loggedName(name, setting);
    return readLogged(setting, String(ownValue(back, part) ?? ownValue(texts, part) ?? ""));
  });
  if (!read.ok) return neverUndone("What it was before doesn't go together with what was changed since.");
  return preparedUndo({ ...compared, version }, async (by: Actor) =>
    (await saveSettings(db, read.settings, by, version))
      ? { ok: true }
      : { ok: false, message: "Someone else changed these settings meanwhile. Nothing was undone." },
  );
}
