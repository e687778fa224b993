import { and, desc, eq, getTableColumns, gte, inArray, type SQL, sql } from "drizzle-orm";
import { type Db, violates } from "./db.server.ts";
import { isSessionOpen } from "./open-session.server.ts";
import type { AuditAction, AuditSubject } from "./schema/audit-vocabulary.ts";
import { auditLog, auditSubjects } from "./schema.server.ts";
import { readKept, type UndoKept } from "./undo-kept.ts";

export { SEVERAL } from "./schema/audit-vocabulary.ts";

/** Writing the audit log, and reading what happened to a row. app/console/audit reads the log for staff, in words. */

/**
 * The staff member who performs an action. With a session, the action happens only if it has not ended, which a change of
 * role or a suspension does too. `undoes`: the entry that the action undoes, which happens once. `kept`: what it leaves of
 * that entry, as it changed since.
 */
export type Actor = { userId: string; name: string; sessionId?: string; undoes?: number; kept?: UndoKept };

const { onceKey: _, ...shownColumns } = getTableColumns(auditLog);
/** The columns of an entry that pages get: all but the key by which its action took effect once. */
export const ENTRY_COLUMNS = shownColumns;

export type AuditEntry = Omit<typeof auditLog.$inferSelect, "onceKey">;

/**
 * Returns the statement that records one action. Put it in the batch that performs the action, so that both are stored
 * or neither. `subjectId` may be SQL that reads the id of a row inserted earlier in the batch. A `onceKey` that was used
 * before fails the whole batch; `isRepeat` recognizes that error. So does an actor whose session has ended, or whose id is
 * SQL that selects nothing.
 */
export function audit(
  db: Db,
  actor: Actor | { userId: SQL<string>; name: string },
  entry: {
    action: AuditAction;
    subject: AuditSubject;
    subjectId: string | number | SQL<string>;
    detail?: Record<string, unknown>;
    onceKey?: string | null;
  },
) {
  const { subjectId, detail = {} } = entry;
  const { undoes, kept }: Partial<Actor> = "undoes" in actor ? actor : {};
  return db.insert(auditLog).values({
    actorId: "sessionId" in actor && actor.sessionId !== undefined ? idInSession(actor) : actor.userId,
    actorName: actor.name,
    action: entry.action,
    subjectType: entry.subject,
    subjectId: typeof subjectId === "number" ? String(subjectId) : subjectId,
    detail: undoes === undefined ? detail : { ...detail, undoes, ...(kept && { kept }) },
    onceKey: undoes === undefined ? (entry.onceKey ?? null) : undoKey(undoes),
    createdAt: Date.now(),
  });
}

function idInSession({ userId, sessionId = "" }: Actor): SQL<string> {
  return sql`iif(${isSessionOpen({ userId, sessionId })}, ${userId}, null)`;
}

/** The key of the entry that undoes another one. */
export function undoKey(entryId: number): string {
  return `undo ${entryId}`;
}

/** Returns the entry that undid another one, with what it left of it, or null. */
export async function readUndoing(db: Db, entryId: number) {
  const { id, actorName, createdAt } = auditLog;
  const [found] = await db
    .select({ id, actorName, createdAt, kept: sql<string | null>`${auditLog.detail} -> '$.kept'` })
    .from(auditLog)
    .where(eq(auditLog.onceKey, undoKey(entryId)))
    .limit(1);
  return found ? { ...found, kept: found.kept === null ? null : readKept(JSON.parse(found.kept)) } : null;
}

/** Returns whether the batch failed because the same form was submitted before, or the same entry undone. */
export function isRepeat(error: unknown): boolean {
  return violates(error, "audit_log.once_key");
}

/** The rows that an entry is about: one kind, one id. */
export type AuditAbout = { subject: AuditSubject; subjectId: string };

/** Returns the whole entries about a row, alone or with others, newest first. */
export function listAudit(db: Db, about: AuditAbout, limit: number): Promise<AuditEntry[]> {
  return db.select(ENTRY_COLUMNS).from(auditLog).where(isAbout(about, limit)).orderBy(desc(auditLog.id)).limit(limit);
}

const CHANGES_READ = 100;
/** Clocks of two machines differ, and an entry has the time before it was stored. */
const CLOCK_MARGIN_MS = 10_000;

/**
 * Returns the statement that notes the subjects of an entry about many. Put it into the batch right behind the entry: it is
 * about the newest one.
 */
export function auditSubjectsOf(db: Db, subject: AuditSubject, subjectIds: readonly (string | number)[]) {
  // Binds all ids as one parameter, because D1 allows 100. In the order of the table's columns.
  return db.insert(auditSubjects).select(sql`
    select distinct (select max(id) from audit_log), ${subject}, cast(value as text)
    from json_each(${JSON.stringify(subjectIds)})`);
}

/**
 * Returns who changed something since `since` (ms), newest first and each once, and when it was changed last. Nobody: what
 * changed it was no person.
 */
export async function changedSince(
  db: Db,
  subject: AuditSubject,
  subjectId: string | number,
  since: number,
): Promise<{ changedBy: string[]; changedAt: number | null }> {
  const entries = await db
    .select({ actorName: auditLog.actorName, createdAt: auditLog.createdAt })
    .from(auditLog)
    .where(
      and(
        isAbout({ subject, subjectId: String(subjectId) }, CHANGES_READ),
        gte(auditLog.createdAt, since - CLOCK_MARGIN_MS),
      ),
    )
    .orderBy(desc(auditLog.id));
  const changedBy = [...new Set(entries.map(({ actorName }) => actorName))].filter((name) => name !== "");
  return { changedBy, changedAt: entries[0]?.createdAt ?? null };
}

/** Is true for the newest entries about a row: up to `limit` about it alone, and as many about it and others. */
export function isAbout({ subject, subjectId }: AuditAbout, limit: number): SQL {
  const newest = (id: string, table: string) => sql`select id from (select ${sql.raw(id)} as id from ${sql.raw(table)}
    where subject_type = ${subject} and subject_id = ${subjectId} order by ${sql.raw(id)} desc limit ${limit})`;
  return sql`${auditLog.id} in (${newest("id", "audit_log")} union all ${newest("entry_id", "audit_subjects")})`;
}

/** Entries that are about a deleted person. `ids` selects the rows. Those of `isPerson` are the person: their ids go, too. */
export type StrippedRows = { subject: AuditSubject; ids: SQL; isPerson?: true };

/**
 * Returns the statements that remove a deleted person from the log, both as actor and as subject. Actions and amounts
 * stay; reasons, emails, names and tags written by staff are removed.
 */
export function stripFromAudit(db: Db, userId: string, replacement: string, about: StrippedRows[]) {
  const detail = sql`json_remove(${auditLog.detail}, '$.reason', '$.email', '$.name', '$.tags')`;
  return [
    db.update(auditLog).set({ actorId: replacement, actorName: "" }).where(eq(auditLog.actorId, userId)),
    ...about.map(({ subject, ids, isPerson }) =>
      db
        .update(auditLog)
        .set({ detail, ...(isPerson && { subjectId: replacement }) })
        .where(and(eq(auditLog.subjectType, subject), inArray(auditLog.subjectId, ids))),
    ),
  ];
}
