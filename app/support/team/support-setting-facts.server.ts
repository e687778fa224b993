import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { ownValue } from "#app/own-value.ts";
import { DAYS } from "#app/words/support-setting-words.ts";
import { AWAY_MAX_CHARS, CONTACT_MAX_CHARS, DEFAULT_SETTINGS, RESPONSE_MAX_MINUTES } from "./business-hours.ts";
import { SETTINGS_SUBJECT, settingsText } from "./support-settings.server.ts";

/** Entries of the audit log in which the last change of a support setting is looked for. */
const CHANGES_READ = 500;

/** The settings of the support form, each with the names that the audit log has for its parts. */
const SETTINGS = {
  hours: {
    parts: ["hours", "timeZone", ...DAYS],
    bounds: "One span a day, which may end on the day after, in one time zone",
    initial: "Off; 09:00–18:00 from Monday to Friday, UTC",
  },
  awayMessage: {
    parts: ["awayMessage"],
    bounds: `Up to ${AWAY_MAX_CHARS.toLocaleString("en-US")} characters, or empty`,
    initial: `“${DEFAULT_SETTINGS.awayMessage}”`,
  },
  contactEmail: {
    parts: ["contactEmail"],
    bounds: `One address of up to ${CONTACT_MAX_CHARS} characters, or empty`,
    initial: "empty",
  },
  responseMinutes: {
    parts: ["responseTarget"],
    bounds: `1 to ${RESPONSE_MAX_MINUTES.toLocaleString("en-US")} minutes (a week), or empty`,
    initial: "empty",
  },
  assignsInTurn: { parts: ["assignsInTurn"], bounds: "On or off", initial: "off" },
} satisfies Record<string, { parts: string[]; bounds: string; initial: string }>;

export type SupportSettingName = keyof typeof SETTINGS;

/** What is said below a support setting: its bounds, its default, and who changed it last. */
export type SupportSettingFacts = {
  bounds: string;
  initial: string;
  isInitial: boolean;
  changed: { by: string; at: number } | null;
};

/** Returns the facts of each support setting. The settings are one row, so the audit log says who changed which. */
export async function readSettingFacts(db: Db, current: typeof DEFAULT_SETTINGS) {
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
  const [texts, defaults] = [settingsText(current), settingsText(DEFAULT_SETTINGS)];
  const factsOf = ([name, { parts, bounds, initial }]: [string, (typeof SETTINGS)[SupportSettingName]]) => {
    const [last] = changes.filter(({ part }) => parts.includes(part)).sort((a, b) => b.at - a.at);
    const changed = last ? { by: last.by || "A deleted account", at: last.at } : null;
    const isInitial = parts.every((part) => ownValue(texts, part) === ownValue(defaults, part));
    return [name, { bounds, initial, isInitial, changed }] as const;
  };
  return Object.fromEntries(Object.entries(SETTINGS).map(factsOf)) as Record<SupportSettingName, SupportSettingFacts>;
}
