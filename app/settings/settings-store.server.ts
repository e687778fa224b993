import { eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { profiles, settings } from "#app/db/schema.server.ts";
import { type DefaultsEnv, loggedText } from "./setting.ts";
import { SETTING_NAMES, type SettingName, type SiteSettings, settingOf, withDefaults } from "./site-settings.ts";

/** Shown when an operator gave no text of their own. */
const MAINTENANCE_TEXT = "Please try again later.";

/** Reads all settings as they are now. For jobs and forms; pages have `SettingsCache`. */
export async function readSiteSettings(db: Db, env: DefaultsEnv): Promise<SiteSettings> {
  return siteSettings(await selectSettings(db), env);
}

/** For a batch. */
export function selectSettings(db: Db) {
  return db.select({ name: settings.name, value: settings.value }).from(settings);
}

export function siteSettings(rows: { name: string; value: unknown }[], env: DefaultsEnv): SiteSettings {
  return withDefaults(Object.fromEntries(rows.map(({ name, value }) => [name, value])), env);
}

/**
 * SQL for what customers read while no orders are taken, or null while they are. Every statement that takes an order or
 * money asks it in its own batch. A trigger raises the catalog's version with each change of maintenance mode, so that an
 * order by terms from before it is written by nobody.
 */
export const closedText = sql<
  string | null
>`(select iif(settings.value ->> '$.on', coalesce(nullif(trim(settings.value ->> '$.text'), ''), ${sql.raw(`'${MAINTENANCE_TEXT}'`)}), null) from settings where settings.name = 'maintenance')`;

/** Returns what customers read while no orders are taken, or null while they are. */
export async function readClosedText(db: Db): Promise<string | null> {
  const [row] = await db.all<{ closed: string | null }>(sql`select ${closedText} as closed`);
  return row?.closed ?? null;
}

/** The same of settings that were read. */
export function closedTextOf({ maintenance }: Pick<SiteSettings, "maintenance">): string | null {
  return maintenance.on ? maintenance.text.trim() || MAINTENANCE_TEXT : null;
}

/** A setting as its form shows it. `version` is 0 and nobody changed it while it has its default. */
export type ShownSetting = {
  name: SettingName;
  value: unknown;
  version: number;
  changed: { by: string; at: number } | null;
};

export async function listSettings(db: Db, env: DefaultsEnv): Promise<ShownSetting[]> {
  const rows = await db
    .select({
      name: settings.name,
      value: settings.value,
      version: settings.version,
      at: settings.changedAt,
      fullName: profiles.fullName,
      email: profiles.email,
    })
    .from(settings)
    .leftJoin(profiles, eq(profiles.userId, settings.changedBy));
  const values = siteSettings(rows, env);
  return SETTING_NAMES.map((name) => {
    const row = rows.find((one) => one.name === name);
    const by = row && (row.fullName || row.email || "A deleted account");
    return { name, value: values[name], version: row?.version ?? 0, changed: row && by ? { by, at: row.at } : null };
  });
}

export type SavedSetting =
  | { ok: true; isChanged: boolean }
  /** Somebody else changed it since the form was opened. Nothing was written. */
  | { ok: false; current: ShownSetting };

/**
 * Saves a value that the setting accepts, if the setting still has the version that the form began from. `alongside`:
 * statements for the same batch, given the value that a change replaces.
 */
export async function saveSetting(
  db: Db,
  env: DefaultsEnv,
  by: Actor,
  { name, value, version }: { name: SettingName; value: unknown; version: number },
  alongside: (before: unknown) => Promise<BatchItem<"sqlite">[]> = async () => [],
): Promise<SavedSetting> {
  const setting = settingOf(name);
  const accepted = setting.value.parse(value);
  const current = (await listSettings(db, env)).find((one) => one.name === name);
  if (!current) throw new Error(`there is no setting ${name}`);
  if (current.version !== version) return { ok: false, current };
  const [before, after] = [loggedText(setting, current.value), loggedText(setting, accepted)];
  if (before === after) return { ok: true, isChanged: false };
  // A plain null would be NULL, which the column refuses: an empty number is stored as JSON.
  const stored = accepted === null ? sql`'null'` : accepted;
  const row = { value: stored, version: version + 1, changedBy: by.userId, changedAt: Date.now() };
  const others = await alongside(current.value);
  // NULL, which the audit log refuses, if someone else saved meanwhile.
  const subjectId = sql<string>`iif(cast(${version} as integer) = coalesce((select version from settings where name = ${name}), 0), ${name}, null)`;
  try {
    await db.batch([
      audit(db, by, { action: "setting.change", subject: "settings", subjectId, detail: { [name]: [before, after] } }),
      db
        .insert(settings)
        .values({ name, ...row })
        .onConflictDoUpdate({ target: settings.name, set: row }),
      ...others,
    ]);
    return { ok: true, isChanged: true };
  } catch (error) {
    if (!violates(error, "audit_log.subject_id")) throw error;
    const now = (await listSettings(db, env)).find((one) => one.name === name);
    return { ok: false, current: now ?? current };
  }
}
