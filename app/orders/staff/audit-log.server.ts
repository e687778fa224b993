import { asc, gt, sql } from "drizzle-orm";
import { listAudit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";

const NAMES_SHOWN = 200;

/** The whole log, newest first, from below `before`, of one person or one kind of act where that is asked for. */
export async function readAuditLog(
  db: Db,
  filter: { before: number | null; actorId: string | null; action: string | null },
  limit: number,
) {
  const { before, actorId, action } = filter;
  return listAudit(db, { ...(before && { before }), ...(actorId && { actorId }), ...(action && { action }) }, limit);
}

/** Who is in the log and what was done, for the filter to choose from: by a walk along the indexes, not the rows. */
export async function listAuditChoices(db: Db) {
  const [actors, actions] = await Promise.all([
    db
      .select({ id: auditLog.actorId, name: sql<string>`max(${auditLog.actorName})` })
      .from(auditLog)
      .where(gt(auditLog.actorId, ""))
      .groupBy(auditLog.actorId)
      .orderBy(asc(auditLog.actorId))
      .limit(NAMES_SHOWN),
    db.selectDistinct({ action: auditLog.action }).from(auditLog).orderBy(asc(auditLog.action)).limit(NAMES_SHOWN),
  ]);
  return { actors, actions: actions.map(({ action }) => action) };
}
