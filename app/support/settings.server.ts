import type { Db } from "#app/db/db.server.ts";
import { supportSettings } from "#app/db/schema.server.ts";
import { DEFAULT_SETTINGS, type SupportSettings, settingsSchema } from "./hours.ts";

export async function readSettings(db: Db): Promise<SupportSettings> {
  const [row] = await db.select({ value: supportSettings.value }).from(supportSettings).limit(1);
  return settingsSchema.safeParse(row?.value).data ?? DEFAULT_SETTINGS;
}

export async function saveSettings(db: Db, settings: SupportSettings): Promise<void> {
  const row = { value: settings, updatedAt: Date.now() };
  await db
    .insert(supportSettings)
    .values({ id: 1, ...row })
    .onConflictDoUpdate({ target: supportSettings.id, set: row });
}
