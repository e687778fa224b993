import { type SQL, sql, type Table } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import type { AuditSubject } from "#app/db/schema/audit-vocabulary.ts";
import { providers, services } from "#app/db/schema.server.ts";
import { SETTING_NAMES, settingOf } from "#app/settings/site-settings.ts";
import type { NamedTable } from "../resource/store.server.ts";
import { ALL_STORES } from "../stores/all-stores.server.ts";

/** A row by the kind and the id of an audit entry's subject. */
export type Reference = { type: string; id: string };

const NAME_CHARS = 80;
/** The conversation of a customer is named after them. */
const USER_CONVERSATION = "user_";

/** Tables whose rows have a name and a number, by the kind of subject. */
export const NAMED_TABLES: Partial<Record<AuditSubject, NamedTable>> = {
  service: { table: services, name: services.name },
  provider: { table: providers, name: providers.name },
  ...Object.fromEntries(ALL_STORES.map(({ resource, named }) => [resource.type, named])),
};

/** Returns the kind of subject whose rows a table has, or null. */
export function subjectOfTable(table: Table): AuditSubject | null {
  const found = Object.entries(NAMED_TABLES).find(([, named]) => named.table === table);
  return found ? (found[0] as AuditSubject) : null;
}

/** Returns the names of rows of one kind, by their ids. */
export async function namesById(db: Db, type: AuditSubject, ids: readonly string[]): Promise<Map<string, string>> {
  const known = await readNames(
    db,
    ids.map((id) => ({ type, id })),
  );
  return new Map([...known].map(([key, name]) => [key.slice(type.length + 1), name]));
}

export function keyOf({ type, id }: Reference): string {
  return `${type} ${id}`;
}

/**
 * Returns what rows are called, by `keyOf`, without those that are deleted or have no name. Names are read when an entry is
 * shown, so that the log itself keeps no name of a person longer than the account. Reads each row once, in one statement.
 */
export async function readNames(db: Db, references: Reference[]): Promise<Map<string, string>> {
  const wanted = [...new Map(references.map((one) => [keyOf(one), one])).values()];
  if (wanted.length === 0) return new Map();
  // Scalar subqueries by primary keys: one row each, and none for what is deleted.
  const rows = await db.all<{ key: string; name: string | null }>(sql`
    select type || ' ' || id as key, substr(case type ${sql.join(nameBranches(), sql` `)} end, 1, ${NAME_CHARS}) as name
    from (select value ->> 'type' as type, value ->> 'id' as id from json_each(${JSON.stringify(wanted)})) as wanted`);
  const stored = rows.flatMap(({ key, name }): [string, string][] => (name === null ? [] : [[key, name]]));
  // A setting has its title, and is no row before somebody changed it.
  const settings = wanted.flatMap((one): [string, string][] => {
    const name = one.type === "settings" ? SETTING_NAMES.find((known) => known === one.id) : undefined;
    return name === undefined ? [] : [[keyOf(one), settingOf(name).label]];
  });
  return new Map([...stored, ...settings]);
}

function nameBranches(): SQL[] {
  const person = (id: SQL) => sql`(select coalesce(nullif(full_name, ''), email) from profiles where user_id = ${id})`;
  const numbered = Object.entries(NAMED_TABLES).map(([type, { table, name }]) =>
    branch(type, sql`(select ${name} from ${table} where ${table.id} = cast(wanted.id as integer))`),
  );
  const ofPerson = sql.raw(`substr(wanted.id, 1, ${USER_CONVERSATION.length}) = '${USER_CONVERSATION}'`);
  const userId = sql.raw(`substr(wanted.id, ${USER_CONVERSATION.length + 1})`);
  return [
    ...numbered,
    branch("customer", person(sql`wanted.id`)),
    branch("email", sql`(select email_address from email_suppressions where address_digest = wanted.id)`),
    branch("conversation", sql`iif(${ofPerson}, ${person(userId)}, null)`),
  ];
}

function branch(type: string, name: SQL): SQL {
  return sql`when ${sql.raw(`'${type}'`)} then ${name}`;
}
