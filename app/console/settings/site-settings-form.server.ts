import type { AppLoadContext } from "@remix-run/cloudflare";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { shownText } from "#app/settings/setting.ts";
import { listSettings, saveSetting } from "#app/settings/settings-store.server.ts";
import { SETTING_GROUPS, SETTING_NAMES, type SettingName, settingOf } from "#app/settings/site-settings.ts";
import { alertAddressNotices } from "./alert-address-notice.server.ts";
import { cardOf, readInputs, type SettingCard } from "./setting-inputs.server.ts";

/** The intents of the settings' forms begin with it. Each form has one setting, whose input has this name. */
const INTENT = "setting ";
const INPUT = "value";
const MAX_VERSION_DIGITS = 9;

/** A setting of the whole product, with what its own form sends. */
export type SiteSetting = SettingCard & { intent: string; version: number };

/** A card of the settings' page. */
export type SiteCard = { id: string; title: string; settings: SiteSetting[] };

export async function readSettingCards(db: Db, env: Env): Promise<SiteCard[]> {
  const listed = (await listSettings(db, env)).map(({ name, value, version, changed }): SiteSetting => {
    const setting = settingOf(name);
    const card = cardOf(setting, { name, input: INPUT, value, initial: setting.initial(env), changed });
    return { ...card, intent: INTENT + name, version };
  });
  return Object.entries(SETTING_GROUPS).map(([id, title]) => {
    return { id, title, settings: listed.filter(({ group }) => group === id) };
  });
}

/** Returns the setting whose form this is, or null. */
export function settingIn(form: FormData): SettingName | null {
  const intent = form.get("intent");
  return SETTING_NAMES.find((name) => intent === INTENT + name) ?? null;
}

/** Returns what has to be stored in one batch with a change of a setting, given the value before it. */
export function alongsideSetting(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  by: Actor,
  name: SettingName,
  value: unknown,
) {
  if (name !== "alert_emails") return undefined;
  return (before: unknown) => alertAddressNotices(db, env, by, before as string[], value as string[]);
}

export async function submitSetting(
  context: Pick<AppLoadContext, "db" | "env" | "waitUntil">,
  actor: Actor,
  name: SettingName,
  form: FormData,
): Promise<FormOutcome> {
  const { db, env } = context;
  const setting = settingOf(name);
  const version = formText(form, "version");
  if (!/^\d+$/.test(version) || version.length > MAX_VERSION_DIGITS) throw new Response(null, { status: 400 });
  const parsed = setting.value.safeParse(readInputs(setting, INPUT, form));
  const values = { [INPUT]: formText(form, INPUT), version, ...(form.has("on") && { on: "on" }) };
  const intent = INTENT + name;
  if (!parsed.success) {
    const fieldErrors = { [INPUT]: parsed.error.issues[0]?.message ?? "This value can't be used" };
    return { kind: "shown", status: 400, result: { intent, ok: false, fieldErrors, values } };
  }
  const value = parsed.data;
  const alongside = alongsideSetting(context, actor, name, value);
  const saved = await saveSetting(db, env, actor, { name, value, version: Number(version) }, alongside);
  if (saved.ok) {
    if (alongside && saved.isChanged) sendQueuedSoon(context);
    const message = saved.isChanged ? `${setting.label}: saved.` : "No changes.";
    return { kind: "done", message };
  }
  const { current } = saved;
  const shown = (one: unknown) => shownText(setting, one) || "empty";
  const who = current.changed
    ? `${current.changed.by} changed this at ${new Date(current.changed.at).toISOString().slice(0, 16).replace("T", " ")} UTC`
    : "This was changed meanwhile";
  const message = `${who}. It is “${shown(current.value)}” now, and you entered “${shown(value)}”. Nothing was saved. Save again to use yours, or reload the page to keep theirs.`;
  const result = { intent, ok: false, message, values: { ...values, version: String(current.version) } };
  return { kind: "shown", status: 409, result };
}
