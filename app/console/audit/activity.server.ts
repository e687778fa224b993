import { desc, type SQL, sql } from "drizzle-orm";
import { type AuditAbout, type AuditEntry, ENTRY_COLUMNS, isAbout } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { keyOf, type Reference, readNames } from "./audit-names.server.ts";
import type { AuditRow, LoggedFields } from "./audit-row.ts";
import { fieldsOf } from "./logged-fields.server.ts";

/** Ids that a listed entry names at most. Of more, it has their number. */
const IDS_LISTED = 20;
/** Entries on the page of what they are about. */
const ENTRIES_SHOWN = 20;

/** The columns of a listed entry: all, but without the ids and values of the thousands of rows that one can be about. */
export const LISTED_ENTRY = {
  ...ENTRY_COLUMNS,
  detail: shortDetail().mapWith(auditLog.detail).as("detail"),
};

function shortDetail(): SQL<AuditEntry["detail"]> {
  const { action } = auditLog;
  // An undo would set back as much.
  const detail = sql`json_remove(${auditLog.detail}, '$.restore')`;
  const count = (path: "$.rates" | "$.services") =>
    sql`(select count(*) from json_each(${auditLog.detail}, ${sql.raw(`'${path}'`)}))`;
  return sql`case when ${action} = 'services.change' then json_remove(${detail}, '$.services')
    when json_array_length(${auditLog.detail}, '$.services') > ${sql.raw(String(IDS_LISTED))}
      then json_replace(${detail}, '$.rates', ${count("$.rates")}, '$.services', ${count("$.services")})
    else json_replace(${detail}, '$.rates', ${count("$.rates")}) end`;
}

/** Returns what staff did to a row, alone or with others, newest first, for an ActivityCard. */
export async function readActivity(db: Db, about: AuditAbout): Promise<AuditRow[]> {
  const entries = await db
    .select(LISTED_ENTRY)
    .from(auditLog)
    .where(isAbout(about, ENTRIES_SHOWN))
    .orderBy(desc(auditLog.id))
    .limit(ENTRIES_SHOWN);
  return withWords(db, entries);
}

/** Adds to each entry what its fields are, and what the rows that it names are called. */
export async function withWords<Entry extends Pick<AuditRow, "action" | "subjectType" | "subjectId" | "detail">>(
  db: Db,
  entries: Entry[],
): Promise<(Entry & Pick<AuditRow, "names" | "fields">)[]> {
  const described = entries.map((entry) => ({ ...entry, fields: fieldsOf(entry) }));
  const references = described.map(referencesOf);
  const known = await readNames(db, references.flat());
  return described.map((entry, index) => {
    const keys = (references[index] ?? []).map(keyOf);
    return { ...entry, names: Object.fromEntries(keys.map((key) => [key, known.get(key) ?? null])) };
  });
}

function referencesOf({
  subjectType,
  subjectId,
  detail,
  fields,
}: Pick<AuditRow, "subjectType" | "subjectId" | "detail"> & { fields: LoggedFields }): Reference[] {
  const inDetail = Object.entries(fields).flatMap(([field, { names }]) =>
    [ownValue(detail, field)]
      .flat()
      .flatMap((id) =>
        names !== undefined && (typeof id === "number" || typeof id === "string")
          ? [{ type: names, id: String(id) }]
          : [],
      ),
  );
  return [{ type: subjectType, id: subjectId }, ...inDetail];
}
