import { inArray, sql } from "drizzle-orm";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { boundedScan } from "#app/db/bounded-scan.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { readKept } from "#app/db/undo-kept.ts";
import { cursorText, type ListCursor, type ListPage } from "#app/http/lists/list-query.ts";
import { type CsvColumns, spreadsheetTime, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { LISTED_ENTRY, withWords } from "./activity.server.ts";
import { type AuditQuery, auditScan, readAuditQuery } from "./audit-query.server.ts";
import { type AuditRow, plainText } from "./audit-row.ts";
import { subjectPart } from "./audit-subjects.ts";
import { actionName, keptInWords, putInWords } from "./entry-sentence.ts";
import { factsOf } from "./telling.ts";

const MAX_CHOICES = 200;

/** Lists the entries that a query asks for by their ids, which grow with the time, with the names of what they are about. */
export async function readAuditLog(
  db: Db,
  query: AuditQuery,
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<AuditRow>> {
  const scan = await auditScan(db, query);
  const { ids, next } = await boundedScan(db, scan, cursor === null ? null : Number(cursor.id), limit);
  const wanted = inArray(auditLog.id, sql`(select value from json_each(${JSON.stringify(ids)}))`);
  const rows = ids.length === 0 ? [] : await db.select(LISTED_ENTRY).from(auditLog).where(wanted);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const listed = ids.flatMap((id) => byId.get(id) ?? []);
  return {
    rows: await withWords(db, listed),
    next: next === null ? null : cursorText({ value: next, id: next }),
  };
}

const FORMATS = formatsOf("en-US");

const COLUMNS: CsvColumns<AuditRow> = {
  entry: ({ id }) => id,
  at_utc: ({ createdAt }) => spreadsheetTime(createdAt),
  staff_member: ({ actorName }) => actorName || "a deleted account",
  action: ({ action }) => actionName(action),
  sentence: (entry) => plainText(putInWords(entry, FORMATS).parts),
  subject: (entry) => plainText([subjectPart(entry)]),
  subject_type: ({ subjectType }) => subjectType,
  subject_id: ({ subjectId }) => subjectId,
  details: (entry) =>
    factsOf(entry, FORMATS)
      .map(({ label, before, after }) => (before === null ? `${label}: ${after}` : `${label}: ${before} → ${after}`))
      .join("; "),
  reason: ({ detail }) => (typeof detail.reason === "string" ? detail.reason : ""),
  undoes: ({ detail }) => (typeof detail.undoes === "number" ? detail.undoes : ""),
  not_undone: ({ detail }) => {
    const kept = readKept(detail.kept);
    return kept ? keptInWords(kept, FORMATS) : "";
  },
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
