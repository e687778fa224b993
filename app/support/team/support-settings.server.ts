import { type Actor, audit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { supportSettings } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { DAYS } from "#app/words/support-setting-words.ts";
import { DEFAULT_SETTINGS, dayText, type SupportSettings } from "./business-hours.ts";
import { settingsSchema } from "./support-settings-schema.server.ts";

/** The audit entries of these settings are about it. */
export const SETTINGS_SUBJECT = "support";
/** The version of the settings while nobody has saved any. */
const FIRST_VERSION = 1;

export async function readSettings(db: Db): Promise<SupportSettings> {
  return (await readVersionedSettings(db)).settings;
}

/** Returns the settings with the version of them that a form begins from. */
export async function readVersionedSettings(db: Db): Promise<{ settings: SupportSettings; version: number }> {
  const { value, version } = supportSettings;
  const [row] = await db.select({ value, version }).from(supportSettings).limit(1);
  const settings = settingsSchema.safeParse(row?.value).data ?? DEFAULT_SETTINGS;
  return { settings, version: row?.version ?? FIRST_VERSION };
}

/**
 * Saves the settings with an audit entry of what changed from what to what. Does nothing without a change. Returns false if
 * someone saved others since `version`.
 */
export async function saveSettings(db: Db, settings: SupportSettings, by: Actor, version: number): Promise<boolean> {
  const { settings: saved } = await readVersionedSettings(db);
  const [before, after] = [settingsText(saved), settingsText(settings)];
  const changed = Object.keys(after).filter((name) => ownValue(before, name) !== ownValue(after, name));
  if (changed.length === 0) return true;
  const detail = Object.fromEntries(changed.map((name) => [name, [ownValue(before, name), ownValue(after, name)]]));
  const row = { value: settings, updatedAt: Date.now() };
  try {
    await db.batch([
      audit(db, by, { action: "settings.change", subject: "settings", subjectId: SETTINGS_SUBJECT, detail }),
      db
        .insert(supportSettings)
        .values({ id: 1, ...row, version: version + 1 })
        .onConflictDoUpdate({
          target: supportSettings.id,
          set: { ...row, version: nextVersion(supportSettings.version, version) },
        }),
    ]);
    return true;
  } catch (error) {
    if (isStale(error, "support_settings")) return false;
    throw error;
  }
}

/** Formats the settings for the audit log, each part by its name there. */
export function settingsText({
  hoursOn,
  timeZone,
  days,
  awayMessage,
  contactEmail,
  responseMinutes,
  assignsInTurn,
}: SupportSettings): Record<string, string> {
  const hours = DAYS.map((name, at) => {
    const day = days[at];
    return [name, day ? dayText(day) : "off"];
  });
  return {
    hours: hoursOn ? "on" : "off",
    timeZone,
    ...Object.fromEntries(hours),
    awayMessage,
    contactEmail,
    responseTarget: responseMinutes === null ? "off" : `${responseMinutes} min`,
    assignsInTurn: assignsInTurn ? "on" : "off",
  };
}
