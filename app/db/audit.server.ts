import { and, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type Db, violates } from "./db.server.ts";
import { type AuditSubject, auditLog } from "./schema.server.ts";

/** Who of the staff acts. */
export type Actor = { userId: string; name: string };

export type AuditEntry = typeof auditLog.$inferSelect;

/**
 * The entry for one act, as a statement to put into the very batch that does it: both are there, or neither.
 * `subjectId` may be SQL that reads the id of a row made earlier in the batch. With a `onceKey` that was used before
 * the whole batch is refused; `isRepeat` tells.
 */
export function audit(
  db: Db,
  actor: Actor,
  entry: {
    /** `order.refund` */
    action: string;
    subject: AuditSubject;
    subjectId: string | number | SQL<string>;
    detail?: Record<string, unknown>;
    onceKey?: string | null;
  },
) {
  const { subjectId } = entry;
  return db.insert(auditLog).values({
    actorId: actor.userId,
    actorName: actor.name,
    action: entry.action,
    subjectType: entry.subject,
    subjectId: typeof subjectId === "number" ? String(subjectId) : subjectId,
    detail: entry.detail ?? {},
    onceKey: entry.onceKey ?? null,
    createdAt: Date.now(),
  });
}

/** True when the batch was refused because the same form had been sent before. */
export function isRepeat(error: unknown): boolean {
  return violates(error, "audit_log.once_key");
}

/** Newest first, from below `before`. One more than `limit` comes back where there is more. */
export async function listAudit(
  db: Db,
  filter: { before?: number; actorId?: string; action?: string; subject?: AuditSubject; subjectId?: string },
  limit: number,
): Promise<AuditEntry[]> {
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        filter.before === undefined ? undefined : lt(auditLog.id, filter.before),
        filter.actorId === undefined ? undefined : eq(auditLog.actorId, filter.actorId),
        filter.action === undefined ? undefined : eq(auditLog.action, filter.action),
        filter.subject === undefined ? undefined : eq(auditLog.subjectType, filter.subject),
        filter.subjectId === undefined ? undefined : eq(auditLog.subjectId, filter.subjectId),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit + 1);
}

/**
 * Statements that take a deleted person out of the log: as the one who acted and as the one acted upon. What was done
 * and the amounts stay; what staff wrote about it goes. `orderIds` selects the person's orders.
 */
export function stripFromAudit(db: Db, userId: string, replacement: string, orderIds: SQL) {
  const withoutWords = sql`json_remove(${auditLog.detail}, '$.reason', '$.email', '$.name')`;
  return [
    db.update(auditLog).set({ actorId: replacement, actorName: "" }).where(eq(auditLog.actorId, userId)),
    db
      .update(auditLog)
      .set({ subjectId: replacement, detail: withoutWords })
      .where(and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId))),
    db
      .update(auditLog)
      .set({ subjectId: replacement, detail: withoutWords })
      .where(and(eq(auditLog.subjectType, "conversation"), eq(auditLog.subjectId, `user_${userId}`))),
    db
      .update(auditLog)
      .set({ detail: withoutWords })
      .where(and(eq(auditLog.subjectType, "order"), inArray(auditLog.subjectId, orderIds))),
  ] as const;
}
