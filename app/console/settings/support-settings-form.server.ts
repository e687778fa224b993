import { sql } from "drizzle-orm";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, type FieldTexts, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { ownValue } from "#app/own-value.ts";
import { loggedName, type Setting, settingEntries } from "#app/settings/setting.ts";
import { readVersionedSettings, SETTINGS_SUBJECT, saveSettings } from "#app/support/team/support-settings.server.ts";
import {
  DEFAULT_SETTINGS,
  SUPPORT_GROUPS,
  SUPPORT_SETTINGS,
  type SupportSettings,
  type SupportValues,
  toSettings,
  toValues,
} from "#app/support/team/team-settings.ts";
import {
  cardOf,
  errorInput,
  inputLabels,
  inputTexts,
  readInputs,
  type SettingCard,
  type SettingFact,
} from "./setting-inputs.server.ts";

/** Entries of the audit log in which the last change of a support setting is looked for. */
const CHANGES_READ = 500;
const ENTRIES = settingEntries(SUPPORT_SETTINGS);
/** The input of the first day of business hours. */
const FIRST_DAY = "from-0";
/** What the inputs of the form are called. */
export const SUPPORT_LABELS = inputLabels(SUPPORT_SETTINGS);

/** A card of the settings' page. `fact`: of all its settings, which have none of their own then. */
export type SupportCard = { id: string; title: string; settings: SettingCard[]; fact: SettingFact | null };

/** Returns the settings as their form shows them. */
export function supportTexts(settings: SupportSettings): FieldTexts {
  const values = toValues(settings);
  const texts = ENTRIES.map(([name, setting]) => inputTexts(setting, name, ownValue<unknown>(values, name)));
  return Object.assign({}, ...texts);
}

/** Returns the cards of the support settings. They are one row, so the audit log says who changed which. */
export async function readSupportCards(db: Db, settings: SupportSettings): Promise<SupportCard[]> {
  const [values, initial] = [toValues(settings), toValues(DEFAULT_SETTINGS)];
  const changes = await readChanges(db);
  const cards = ENTRIES.map(([name, setting]) => {
    const of = { name, input: name, value: ownValue<unknown>(values, name), initial: ownValue<unknown>(initial, name) };
    return cardOf(setting, { ...of, changed: changes.get(loggedName(name, setting)) ?? null });
  });
  return Object.entries(SUPPORT_GROUPS).map(([id, group]) => {
    const own = cards.filter((card) => card.group === id);
    const [last = null] = own.map(({ changed }) => changed).toSorted((a, b) => (b?.at ?? 0) - (a?.at ?? 0));
    const isInitial = own.every((card) => card.isInitial);
    const fact = "bounds" in group ? { bounds: group.bounds, initial: group.initial, isInitial, changed: last } : null;
    return { id, title: group.title, settings: own, fact };
  });
}

async function readChanges(db: Db): Promise<Map<string, { by: string; at: number }>> {
  const changes = await db.all<{ part: string; by: string; at: number }>(sql`
    select part, by, at from (
      select changed.key as part, entries.actor_name as by, entries.created_at as at, max(entries.id)
      from (
        select id, actor_name, created_at, detail from audit_log
        where subject_type = 'settings' and subject_id = ${SETTINGS_SUBJECT}
        order by id desc limit ${sql.raw(String(CHANGES_READ))}
      ) as entries, json_each(entries.detail) as changed
      group by changed.key
    )`);
  return new Map(changes.map(({ part, by, at }) => [part, { by: by || "A deleted account", at }]));
}

type Parsed =
  | { ok: true; settings: SupportSettings }
  | { ok: false; fieldErrors: Record<string, string>; values: FieldTexts };

/** Reads the form. `from-0` and `to-0` are Monday's `09:00` and `18:00`, both empty on a day off; its error is that of `from-0`. */
export function parseSupportForm(form: FormData): Parsed {
  const read = acceptSettings((name, setting) => readInputs(setting, name, form));
  if (read.ok) return read;
  const inputs = Object.keys(SUPPORT_LABELS).filter((name) => form.has(name));
  return { ...read, values: Object.fromEntries(inputs.map((name) => [name, formText(form, name)])) };
}

/** Returns the settings that `read` makes, or the first error of each input. */
export function acceptSettings(
  read: (name: string, setting: Setting<unknown>) => unknown,
): { ok: true; settings: SupportSettings } | { ok: false; fieldErrors: Record<string, string> } {
  const fieldErrors: Record<string, string> = {};
  const values = ENTRIES.map(([name, setting]) => {
    const accepted = setting.value.safeParse(read(name, setting));
    if (!accepted.success) fieldErrors[errorInput(setting, name)] = accepted.error.issues[0]?.message ?? "";
    return [name, accepted.data];
  });
  const settings = toSettings(Object.fromEntries(values) as SupportValues);
  if (Object.keys(fieldErrors).length > 0) return { ok: false, fieldErrors };
  if (!settings.hoursOn || settings.days.some((day) => day !== null)) return { ok: true, settings };
  const error = "Enter hours for at least one day, or turn off business hours.";
  return { ok: false, fieldErrors: { [FIRST_DAY]: error } };
}

/** Handles the form of the support settings. */
export async function submitSettingsForm(db: Db, actor: Actor, form: FormData): Promise<FormOutcome> {
  const parsed = parseSupportForm(form);
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
  const current = { version: saved.version, texts: supportTexts(saved.settings) };
  const result = conflictForm(form, current, supportTexts(parsed.settings), changed);
  return { kind: "shown", status: 409, result };
}
