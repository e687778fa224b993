import type { AppLoadContext } from "@remix-run/cloudflare";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { listSettings, type ShownSetting, saveSetting } from "#app/db/settings/settings-store.server.ts";
import { SETTING_NAMES, type SettingName, settingOf } from "#app/db/settings/site-settings.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { ownValue } from "#app/own-value.ts";
import { alertAddressNotices } from "./alert-address-notice.server.ts";

/** The intents of the settings' forms begin with it. */
const INTENT = "setting ";
const MAX_VERSION_DIGITS = 9;

/** A setting as its card shows it, with all values as the form writes them. */
export type SettingCard = ReturnType<typeof cardOf>;

export async function readSettingCards(db: Db, env: Env) {
  return (await listSettings(db, env)).map((shown) => cardOf(shown, env));
}

function cardOf({ name, value, version, changed }: ShownSetting, env: Env) {
  const { title, help, bounds, control, choices, initial, text } = settingOf(name);
  const shown = (of: unknown) => ownValue(choices, text(of)) ?? text(of);
  const isOn = control === "maintenance" && (value as { on: boolean }).on;
  const typed = control === "maintenance" ? (value as { text: string }).text : text(value);
  const base = { name, title, help, bounds, control, choices: choices ?? {}, version, changed };
  return {
    ...base,
    intent: INTENT + name,
    typed,
    isOn,
    initial: shown(initial(env)),
    isInitial: shown(value) === shown(initial(env)),
  };
}

/** Returns the setting whose form this is, or null. */
export function settingIn(form: FormData): SettingName | null {
  const intent = form.get("intent");
  return SETTING_NAMES.find((name) => intent === INTENT + name) ?? null;
}

export async function submitSetting(
  context: Pick<AppLoadContext, "db" | "env" | "waitUntil">,
  actor: Actor,
  name: SettingName,
  form: FormData,
): Promise<FormOutcome> {
  const { db, env } = context;
  const setting = settingOf(name);
  const [typed, isOn] = [formText(form, "value"), form.has("on")];
  const version = formText(form, "version");
  if (!/^\d+$/.test(version) || version.length > MAX_VERSION_DIGITS) throw new Response(null, { status: 400 });
  const parsed = setting.value.safeParse(setting.parse(typed, isOn));
  const values = { value: typed, version, ...(isOn && { on: "on" }) };
  const intent = INTENT + name;
  if (!parsed.success) {
    const fieldErrors = { value: parsed.error.issues[0]?.message ?? "This value can't be used" };
    return { kind: "shown", status: 400, result: { intent, ok: false, fieldErrors, values } };
  }
  const value = parsed.data;
  const notices = (before: unknown) => alertAddressNotices(db, env, actor, before as string[], value as string[]);
  const alongside = name === "alert_emails" ? notices : undefined;
  const saved = await saveSetting(db, env, actor, { name, value, version: Number(version) }, alongside);
  if (saved.ok) {
    if (alongside && saved.isChanged) sendQueuedSoon(context);
    const message = saved.isChanged ? `${setting.title}: saved.` : "No changes.";
    return { kind: "done", message };
  }
  const { current } = saved;
  const shown = (one: unknown) => ownValue(setting.choices, setting.text(one)) ?? (setting.text(one) || "empty");
  const who = current.changed
    ? `${current.changed.by} changed this at ${new Date(current.changed.at).toISOString().slice(0, 16).replace("T", " ")} UTC`
    : "This was changed meanwhile";
  const message = `${who}. It is “${shown(current.value)}” now, and you entered “${shown(value)}”. Nothing was saved. Save again to use yours, or reload the page to keep theirs.`;
  const result = { intent, ok: false, message, values: { ...values, version: String(current.version) } };
  return { kind: "shown", status: 409, result };
}
