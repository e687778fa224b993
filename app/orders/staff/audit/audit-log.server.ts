import { and, eq, type SQL, sql } from "drizzle-orm";
import { type AuditEntry, LISTED_ENTRY } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { idsBetween } from "#app/db/ids-by-time.server.ts";
import { keyset, upTo, windowEnd } from "#app/db/keyset.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { readDayRange } from "#app/http/lists/day-range.ts";
import { type ListCursor, type ListPage, listPage, readSort } from "#app/http/lists/list-query.ts";
import { sparsePage } from "#app/http/lists/sparse-page.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";

import { readableDetail } from "#app/orders/rules/audit-detail.ts";

const MAX_CHOICES = 200;

const SORTS = ["created"] as const;
const TIMED = { table: auditLog, id: auditLog.id, createdAt: auditLog.createdAt };

/** Reads what the URL asks for: entries of one person, of one kind of action, of some days. */
export async function readAuditQuery(db: Db, searchParams: URLSearchParams) {
  const { between, ...days } = readDayRange(searchParams);
  const [actorId, action] = [searchParams.get("who") || null, searchParams.get("what") || null];
  const sort = readSort(searchParams, SORTS, "-created");
  const query = { actorId, action, within: await idsBetween(db, TIMED, between), sort };
  return { shown: { filter: { actorId, action }, days, sort, sorts: SORTS }, query };
}

type AuditQuery = Awaited<ReturnType<typeof readAuditQuery>>["query"];

/**
 * Lists the audit log by its ids, which grow with the time. One person's actions of one kind are looked for among all of
 * their actions: no index holds both.
 */
export async function readAuditLog(
  db: Db,
  { actorId, action, within, sort }: AuditQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<AuditEntry>> {
  const by = { value: auditLog.id, id: auditLog.id, ...sort };
  const ofActor = actorId === null ? undefined : eq(auditLog.actorId, actorId);
  const read = (where: SQL | undefined, order: SQL[], most: number) =>
    db
      .select(LISTED_ENTRY)
      .from(auditLog)
      .where(where)
      .orderBy(...order)
      .limit(most);
  if (ofActor === undefined || action === null) {
    const { after, order } = keyset(by, cursor);
    const ofAction = action === null ? undefined : eq(auditLog.action, action);
    const rows = await read(and(ofActor, ofAction, within, after), order, limit + 1);
    return listPage(rows, limit, ({ id }) => ({ value: id, id }));
  }
  return sparsePage(cursor, limit, {
    windowEnd(from, size) {
      const { after, order } = keyset(by, from);
      return windowEnd(db, { table: auditLog, id: auditLog.id, where: and(ofActor, within, after), order }, size);
    },
    rows(from, end, most) {
      const { after, order } = keyset(by, from);
      // With the "+", SQLite keeps to the index by person, whose rows are counted.
      const ofAction = sql`+${auditLog.action} = ${action}`;
      return read(and(ofActor, within, after, upTo(by, end), ofAction), order, most);
    },
  });
}

const COLUMNS: CsvColumns<AuditEntry> = {
  entry: ({ id }) => id,
  at: ({ createdAt }) => spreadsheetTime(createdAt),
  staff_member: ({ actorName }) => actorName,
  action: ({ action }) => action,
  subject: ({ subjectType }) => subjectType,
  subject_id: ({ subjectId }) => subjectId,
  details: ({ detail }) => JSON.stringify(readableDetail(detail)),
};

export async function exportAuditLog(db: Db, searchParams: URLSearchParams): Promise<ReadableStream<Uint8Array>> {
  const { query } = await readAuditQuery(db, searchParams);
  return streamListCsv(COLUMNS, (after, limit) => readAuditLog(db, query, after, limit));
}

/**
 * Returns the people and actions in the log, for its filter. Jumps from one to the next in the indexes, so that it reads a
 * few rows for each and not the whole log.
 */
export async function listAuditChoices(db: Db) {
  const [actors, actions] = await db.batch([
    db
      .select({ id: sql<string>`each.value`, name: sql<string>`${auditLog.actorName}` })
      .from(distinct("actor_id"))
      // The name of their newest entry.
      .innerJoin(
        auditLog,
        sql`${auditLog.id} = (select max(id) from audit_log newest where newest.actor_id = each.value)`,
      )
      .orderBy(sql`each.value`),
    db.select({ action: sql<string>`each.value` }).from(distinct("action")).orderBy(sql`each.value`),
  ]);
  return { actors, actions: actions.map(({ action }) => action) };
}

/** Selects the different values of an indexed column, up to MAX_CHOICES, without those of deleted people, which are empty. */
function distinct(column: "actor_id" | "action") {
  const name = sql.raw(column);
  return sql`(with recursive each(value) as (
      select min(${name}) from audit_log where ${name} > ''
      union all
      select (select min(${name}) from audit_log where ${name} > each.value) from each where each.value is not null
      limit ${sql.raw(String(MAX_CHOICES + 1))}
    ) select value from each where value is not null limit ${sql.raw(String(MAX_CHOICES))}) as each`;
}
