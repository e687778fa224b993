import { sql } from "drizzle-orm";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { supportSettings } from "#app/db/schema.server.ts";
import { clockText, DAYS, DEFAULT_SETTINGS, type SupportSettings } from "./business-hours.ts";
import { settingsSchema } from "./support-settings-schema.server.ts";

export async function readSettings(db: Db): Promise<SupportSettings> {
  return (await read(db)).value;
}

async function read(db: Db): Promise<{ value: SupportSettings; updatedAt: number }> {
  const { value, updatedAt } = supportSettings;
  const [row] = await db.select({ value, updatedAt }).from(supportSettings).limit(1);
  return { value: settingsSchema.safeParse(row?.value).data ?? DEFAULT_SETTINGS, updatedAt: row?.updatedAt ?? 0 };
}

/** Saves the settings with an audit entry of what changed from what to what. Does nothing without a change. */
export async function saveSettings(db: Db, settings: SupportSettings, by: Actor): Promise<void> {
  for (;;) {
    const { value, updatedAt } = await read(db);
    const [before, after] = [auditText(value), auditText(settings)];
    const changed = Object.keys(after).filter((name) => before[name] !== after[name]);
    if (changed.length === 0) return;
    const detail = Object.fromEntries(changed.map((name) => [name, [before[name], after[name]]]));
    const row = { value: settings, updatedAt: Math.max(Date.now(), updatedAt + 1) };
    // NULL, which the audit log refuses, if someone else saved meanwhile: then the loop reads again.
    const subjectId = sql<string>`iif(${updatedAt} = coalesce((select updated_at from support_settings), 0), 'support', null)`;
    try {
      await db.batch([
        audit(db, by, { action: "settings.change", subject: "settings", subjectId, detail }),
        db
          .insert(supportSettings)
          .values({ id: 1, ...row })
          .onConflictDoUpdate({ target: supportSettings.id, set: row }),
      ]);
      return;
    } catch (error) {
      if (!violates(error, "audit_log.subject_id")) throw error;
    }
  }
}

/** Formats the settings for the audit log. */
function auditText({
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
    return [name, day ? `${clockText(day.from)}–${clockText(day.to)}` : "off"];
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
