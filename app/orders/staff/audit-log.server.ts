import { sql } from "drizzle-orm";
import { listAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";

const MAX_CHOICES = 200;

/** Lists the audit log newest first, below the id `before`, optionally of one person or one kind of action. */
export async function readAuditLog(
  db: Db,
  filter: { before: number | null; actorId: string | null; action: string | null },
  limit: number,
) {
  const { before, actorId, action } = filter;
  return listAudit(db, { ...(before && { before }), ...(actorId && { actorId }), ...(action && { action }) }, limit);
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
