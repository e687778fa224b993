import { and, eq, type SQL, sql } from "drizzle-orm";
import { cutText } from "#app/cut-text.ts";
import type { BoundedScan } from "#app/db/bounded-scan.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { idBounds } from "#app/db/ids-by-time.server.ts";
import { within } from "#app/db/keyset.server.ts";
import type { AuditSubject } from "#app/db/schema/audit-vocabulary.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { readDayRange, type TimeRange } from "#app/http/lists/day-range.ts";
import { readSort, type Sort } from "#app/http/lists/list-query.ts";
import { SUBJECT_LABELS } from "./audit-subjects.ts";
import { findSubjects } from "./find-subjects.server.ts";

/** What the audit log is filtered by. Any of it together; a page reads no more than MOST_SCANNED entries. */

const SORTS = ["created"] as const;
const TIMED = { table: auditLog, id: auditLog.id, createdAt: auditLog.createdAt };
/** Entries that are counted of a person's and of an action's, to look through the fewer. */
const MOST_COUNTED = 500;
const MAX_TEXT_CHARACTERS = 200;

export type AuditQuery = {
  actorId: string | null;
  action: string | null;
  subjectType: AuditSubject | null;
  /** Null: any of the type. Empty: the search found none. */
  subjectIds: string[] | null;
  between: TimeRange;
  bounds: { low: number; high: number | null } | null;
  sort: Sort<"created">;
};

/** Reads what the URL asks for: entries of one person, of one kind of action, about one subject, of some days. */
export async function readAuditQuery(db: Db, searchParams: URLSearchParams) {
  const { between, ...days } = readDayRange(searchParams);
  const text = (name: string) => cutText(searchParams.get(name)?.trim() ?? "", MAX_TEXT_CHARACTERS) || null;
  const [actorId, action, about, of] = [text("who"), text("what"), text("about"), text("of")];
  const types = Object.keys(SUBJECT_LABELS) as AuditSubject[];
  const subjectType = types.find((known) => known === about) ?? (of === null ? null : kindOf(of));
  const sort = readSort(searchParams, SORTS, "-created");
  const [bounds, subjectIds] = await Promise.all([
    idBounds(db, TIMED, between),
    subjectType === null || of === null ? null : findSubjects(db, subjectType, of),
  ]);
  const query: AuditQuery = { actorId, action, subjectType, subjectIds, between, bounds, sort };
  const filter = { actorId, action, about: subjectType, of: of ?? "" };
  return { shown: { filter, days, sort, sorts: SORTS }, query };
}

/** Returns what a text most likely names, if nobody said. The form then shows the kind. */
function kindOf(text: string): AuditSubject {
  if (/^#?\d+$/.test(text)) return "order";
  return text.includes("@") ? "customer" : "service";
}

/**
 * Returns how to look the entries up: by the index that holds the fewest of them, with what else they must be. An entry
 * about many is found by each of them.
 */
export async function auditScan(db: Db, query: AuditQuery): Promise<BoundedScan> {
  const { actorId, action, subjectType, subjectIds, between, sort } = query;
  const { descending } = sort;
  const ofActor = actorId === null ? undefined : eq(auditLog.actorId, actorId);
  const ofAction = action === null ? undefined : eq(auditLog.action, action);
  const ofType = subjectType === null ? undefined : eq(auditLog.subjectType, subjectType);
  const inTime = within(auditLog.createdAt, between);
  const order = sql`order by ${auditLog.id} ${sql.raw(descending ? "desc" : "asc")}`;
  if (subjectType !== null && subjectIds !== null) {
    const rest = and(ofActor, ofAction, inTime);
    return {
      descending,
      isExact: rest === undefined,
      window: (after, size) => sql`select "about"."at" as "at", ${rest ?? sql`1`} as "hit"
        from (${idsAbout(query, subjectType, subjectIds, after, size)}) as "about"
        ${rest === undefined ? sql`` : sql`cross join ${auditLog} on ${auditLog.id} = "about"."at"`}`,
    };
  }
  const byAction = ofActor === undefined || (ofAction !== undefined && (await isRarer(db, query, ofAction, ofActor)));
  const indexed = byAction ? ofAction : ofActor;
  const rest = and(byAction ? ofActor : ofAction, ofType, inTime);
  return {
    descending,
    isExact: rest === undefined,
    window: (after, size) => sql`select ${auditLog.id} as "at", ${rest ?? sql`1`} as "hit" from ${auditLog}
      where ${and(indexed, inBounds(auditLog.id, query, after)) ?? sql`1`} ${order} limit ${size}`,
  };
}

async function isRarer(db: Db, query: AuditQuery, one: SQL, other: SQL): Promise<boolean> {
  const count = (of: SQL) =>
    sql`(select count(*) from (select 1 from ${auditLog} where ${and(of, inBounds(auditLog.id, query, null))} limit ${MOST_COUNTED}))`;
  const [counted] = await db.all<{ isRarer: number }>(sql`select ${count(one)} < ${count(other)} as "isRarer"`);
  return counted?.isRarer === 1;
}

/** Selects entries about some subjects: of each, its own and those about it and others. */
function idsAbout(
  query: AuditQuery,
  type: AuditSubject,
  subjectIds: string[],
  after: number | null,
  size: number,
): SQL {
  const direction = sql.raw(query.sort.descending ? "desc" : "asc");
  const [only] = subjectIds.length === 1 ? subjectIds : [];
  const ofTable = (table: "audit_log" | "audit_subjects", column: "id" | "entry_id") => {
    const id = sql.raw(`"near"."${column}"`);
    const nearest = (subjectId: SQL) => sql`select ${id} as "at" from ${sql.raw(table)} as "near"
      where "near"."subject_type" = ${type} and "near"."subject_id" = ${subjectId}
        and ${inBounds(id, query, after) ?? sql`1`} order by ${id} ${direction} limit ${size}`;
    if (only !== undefined) return sql`select "at" from (${nearest(sql`${only}`)})`;
    // The nearest of each subject: no more than `size` are selected of all.
    return sql`select "each"."value" as "at" from json_each(${JSON.stringify(subjectIds)}) as "wanted" cross join
      json_each((select json_group_array("at") from (${nearest(sql`"wanted"."value"`)}))) as "each"`;
  };
  return sql`select distinct "at" from (${ofTable("audit_log", "id")} union all ${ofTable("audit_subjects", "entry_id")})
    order by "at" ${direction} limit ${size}`;
}

/** Is true for ids of the asked days that come after the cursor. */
function inBounds(id: typeof auditLog.id | SQL, { bounds, sort }: AuditQuery, after: number | null): SQL | undefined {
  return and(
    bounds === null ? undefined : sql`${id} >= ${bounds.low}`,
    bounds === null || bounds.high === null ? undefined : sql`${id} < ${bounds.high}`,
    after === null ? undefined : sort.descending ? sql`${id} < ${after}` : sql`${id} > ${after}`,
  );
}
