import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import type { AuditSubject } from "#app/db/schema/audit-vocabulary.ts";
import { lookupEmail } from "#app/email-address.ts";
import { ftsPhrase } from "#app/http/lists/full-text.ts";
import { SETTING_NAMES, settingOf } from "#app/settings/site-settings.ts";
import { NAMED_TABLES } from "./audit-names.server.ts";

/** Subjects that a search takes at most: each has its own place in the index. */
const MOST_FOUND = 20;
/** The search index has all runs of three characters. */
const INDEXED_CHARACTERS = 3;

/** Returns the ids of the subjects of a kind that a text names: by number, or by a part of the name or email. */
export async function findSubjects(db: Db, type: AuditSubject, text: string): Promise<string[]> {
  const number = /^#?(\d{1,10})$/.exec(text)?.[1];
  if (type === "settings") return settingsNamed(text);
  if (type === "customer") return findPeople(db, text);
  if (number !== undefined) return [String(Number(number))];
  if (type === "conversation") return [text, ...(await findPeople(db, text)).map((id) => `user_${id}`)];
  const named = NAMED_TABLES[type];
  // Found by the whole id.
  if (!named) return [text];
  const { table, name } = named;
  const rows = await db.all<{ id: string }>(sql`select cast(${table.id} as text) as id from ${table}
    where instr(lower(${name}), ${text.toLowerCase()}) > 0 order by 1 limit ${MOST_FOUND}`);
  return rows.map(({ id }) => id);
}

async function findPeople(db: Db, text: string): Promise<string[]> {
  const named = sql`user_id = ${text} or email = ${lookupEmail(text)}`;
  const rows =
    text.length < INDEXED_CHARACTERS
      ? await db.all<{ id: string }>(sql`select user_id as id from profiles where ${named} limit ${MOST_FOUND}`)
      : await db.all<{ id: string }>(sql`select user_id as id from profiles where ${named}
          union select user_id as id from profiles where rowid in (
            select rowid from profiles_search where profiles_search match ${ftsPhrase(text)} limit ${MOST_FOUND})
          limit ${MOST_FOUND}`);
  // A person who is deleted is still found by the id in a link.
  return rows.length > 0 ? rows.map(({ id }) => id) : [text];
}

function settingsNamed(text: string): string[] {
  const wanted = text.toLowerCase();
  const known = SETTING_NAMES.filter((name) => `${name} ${settingOf(name).label}`.toLowerCase().includes(wanted));
  return [...known, ...("support settings".includes(wanted) ? ["support"] : [])].slice(0, MOST_FOUND);
}
