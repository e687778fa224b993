import { sql } from "drizzle-orm";
import { ownValue } from "#app/own-value.ts";
import type { Db } from "./db.server.ts";
import type { AuditSubject } from "./schema.server.ts";

/**
 * What the rows that an entry names are called, by `service 12`. Null: what is deleted, or has no name. They are read when
 * an entry is shown, so that the log itself keeps no name of a person longer than the account.
 */
export type AuditNames = Record<string, string | null>;

type NamedEntry = { subjectType: AuditSubject; subjectId: string; detail: Record<string, unknown> };
type Reference = { type: string; id: string };

const NAME_CHARS = 80;
/** The subject ids of these begin with what they are. */
const ANNOUNCEMENT = "announcement ";
/** The conversation of a customer is named after them. */
const USER_CONVERSATION = "user_";
/** Fields of a detail, alone or as a pair, with the id of a row. */
const ID_FIELDS: Record<string, AuditSubject> = { providerId: "provider", assignsTo: "customer" };

/** Adds to each entry the names of what it is about. Reads each named row once, in one statement. */
export async function withNames<Entry extends NamedEntry>(
  db: Db,
  entries: Entry[],
): Promise<(Entry & { names: AuditNames })[]> {
  const references = entries.map(referencesOf);
  const known = await readNames(db, references.flat());
  return entries.map((entry, index) => {
    const keys = (references[index] ?? []).map(keyOf);
    return { ...entry, names: Object.fromEntries(keys.map((key) => [key, known.get(key) ?? null])) };
  });
}

/** Returns the names of rows of one kind, by their ids. */
export async function namesById(db: Db, type: AuditSubject, ids: readonly string[]): Promise<Map<string, string>> {
  const known = await readNames(
    db,
    ids.map((id) => ({ type, id })),
  );
  return new Map([...known].map(([key, name]) => [key.slice(type.length + 1), name]));
}

function referencesOf({ subjectType, subjectId, detail }: NamedEntry): Reference[] {
  const inDetail = Object.entries(ID_FIELDS).flatMap(([field, type]) =>
    [ownValue(detail, field)]
      .flat()
      .flatMap((id) => (typeof id === "number" || typeof id === "string" ? [{ type, id }] : [])),
  );
  return [{ type: subjectType, id: subjectId }, ...inDetail.map(({ type, id }) => ({ type, id: String(id) }))];
}

function keyOf({ type, id }: Reference): string {
  return `${type} ${id}`;
}

async function readNames(db: Db, references: Reference[]): Promise<Map<string, string>> {
  const wanted = [...new Map(references.map((one) => [keyOf(one), one])).values()];
  if (wanted.length === 0) return new Map();
  const person = "select coalesce(nullif(full_name, ''), email) from profiles where user_id =";
  // Scalar subqueries by primary keys: one row each, and none for what is deleted.
  const rows = await db.all<{ key: string; name: string | null }>(sql`
    select type || ' ' || id as key, substr(case type
      when 'service' then (select name from services where services.id = cast(wanted.id as integer))
      when 'provider' then (select name from providers where providers.id = cast(wanted.id as integer))
      when 'customer' then (${sql.raw(person)} wanted.id)
      when 'codes' then (select name from redeem_batches where redeem_batches.id = cast(wanted.id as integer))
      when 'tier' then (select name from tiers where tiers.id = cast(wanted.id as integer))
      when 'percent_code' then (select name from percent_codes where percent_codes.id = cast(wanted.id as integer))
      when 'reply' then (select '/' || shortcut from saved_replies where saved_replies.id = cast(wanted.id as integer))
      when 'email' then (select email_address from email_suppressions where address_digest = wanted.id)
      when 'conversation' then iif(substr(wanted.id, 1, ${USER_CONVERSATION.length}) = ${USER_CONVERSATION},
        (${sql.raw(person)} substr(wanted.id, ${USER_CONVERSATION.length + 1})), null)
      when 'settings' then iif(substr(wanted.id, 1, ${ANNOUNCEMENT.length}) = ${ANNOUNCEMENT},
        (select body from announcements where announcements.id = cast(substr(wanted.id, ${ANNOUNCEMENT.length + 1}) as integer)), null)
      end, 1, ${NAME_CHARS}) as name
    from (select value ->> 'type' as type, value ->> 'id' as id from json_each(${JSON.stringify(wanted)})) as wanted`);
  return new Map(rows.flatMap(({ key, name }) => (name === null ? [] : [[key, name]])));
}
