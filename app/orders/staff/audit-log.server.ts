import { asc, gt, sql } from "drizzle-orm";
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

/** Returns the people and actions in the log, for its filter. Reads only the indexes. */
export async function listAuditChoices(db: Db) {
  const [actors, actions] = await Promise.all([
    db
      .select({ id: auditLog.actorId, name: sql<string>`max(${auditLog.actorName})` })
      .from(auditLog)
      .where(gt(auditLog.actorId, ""))
      .groupBy(auditLog.actorId)
      .orderBy(asc(auditLog.actorId))
      .limit(MAX_CHOICES),
    db.selectDistinct({ action: auditLog.action }).from(auditLog).orderBy(asc(auditLog.action)).limit(MAX_CHOICES),
  ]);
  return { actors, actions: actions.map(({ action }) => action) };
}
