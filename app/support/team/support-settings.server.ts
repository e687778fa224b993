import { type Actor, audit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { supportSettings } from "#app/db/schema.server.ts";
import { loggedChanges } from "#app/settings/setting.ts";
import { readStoredSettings, SUPPORT_SETTINGS, type SupportSettings, toValues } from "./team-settings.ts";

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
  return { settings: readStoredSettings(row?.value), version: row?.version ?? FIRST_VERSION };
}

/**
 * Saves the settings with an audit entry of what changed from what to what. Does nothing without a change. Returns false if
 * someone saved others since `version`.
 */
export async function saveSettings(db: Db, settings: SupportSettings, by: Actor, version: number): Promise<boolean> {
  const { settings: saved } = await readVersionedSettings(db);
  const detail = loggedChanges(SUPPORT_SETTINGS, toValues(saved), toValues(settings));
  if (Object.keys(detail).length === 0) return true;
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
