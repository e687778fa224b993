import { and, desc, eq, getTableColumns, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type Db, violates } from "./db.server.ts";
import { isSessionOpen } from "./open-session.server.ts";
import { type AuditSubject, auditLog } from "./schema.server.ts";

/**
 * The staff member who performs an action. With a session, the action happens only if it has not ended, which a change of
 * role or a suspension does too.
 */
export type Actor = { userId: string; name: string; sessionId?: string };

export type AuditEntry = typeof auditLog.$inferSelect;

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
    actorId: "sessionId" in actor && actor.sessionId !== undefined ? idInSession(actor) : actor.userId,
    actorName: actor.name,
    action: entry.action,
    subjectType: entry.subject,
    subjectId: typeof subjectId === "number" ? String(subjectId) : subjectId,
    detail: entry.detail ?? {},
    onceKey: entry.onceKey ?? null,
    createdAt: Date.now(),
  });
}

function idInSession({ userId, sessionId = "" }: Actor): SQL<string> {
  return sql`iif(${isSessionOpen({ userId, sessionId })}, ${userId}, null)`;
}

/** Returns whether the batch failed because the same form was submitted before. */
export function isRepeat(error: unknown): boolean {
  return violates(error, "audit_log.once_key");
}

/** Ids that a listed entry names at most. Of more, it has their number. */
const IDS_LISTED = 20;

/** The columns of a listed entry: all, but without the ids and values of the thousands of rows that one can be about. */
export const LISTED_ENTRY = {
  ...getTableColumns(auditLog),
  detail: shortDetail().mapWith(auditLog.detail).as("detail"),
};

function shortDetail(): SQL<AuditEntry["detail"]> {
  const { action, detail } = auditLog;
  const count = (path: "$.rates" | "$.services") =>
    sql`(select count(*) from json_each(${detail}, ${sql.raw(`'${path}'`)}))`;
  return sql`case when ${action} = 'services.change' then json_remove(${detail}, '$.services')
    when json_array_length(${detail}, '$.services') > ${sql.raw(String(IDS_LISTED))}
      then json_replace(${detail}, '$.rates', ${count("$.rates")}, '$.services', ${count("$.services")})
    else json_replace(${detail}, '$.rates', ${count("$.rates")}) end`;
}

/** Returns entries below id `before`, newest first: one more than `limit` if more exist. */
export async function listAudit(
  db: Db,
  filter: { before?: number; actorId?: string; action?: string; subject?: AuditSubject; subjectId?: string },
  limit: number,
): Promise<AuditEntry[]> {
  return db
    .select(LISTED_ENTRY)
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

/** The subject id of a change of several rows at once. The entry's detail names them. */
export const SEVERAL = "several";
/** Another subject whose entries can be about a row together with others. */
export type Among = { subject: AuditSubject; subjectId: string };
const CHANGES_READ = 100;
/** Entries about many rows are large: a page's list looks for its row in fewer of them. */
const LARGE_READ = 30;
/** Clocks of two machines differ, and an entry has the time before it was stored. */
const CLOCK_MARGIN_MS = 10_000;

/** Returns the newest entries about a row, those that are about others too among them, newest first. */
export async function listAuditOfRow(
  db: Db,
  subject: AuditSubject,
  subjectId: string | number,
  { among, limit }: { among: Among | null; limit: number },
): Promise<AuditEntry[]> {
  const id = String(subjectId);
  const naming = (entries: Among) =>
    db
      .select(LISTED_ENTRY)
      .from(auditLog)
      .where(sql`${auditLog.id} in ${newestOf(entries, LARGE_READ)} and ${names(id)}`)
      .orderBy(desc(auditLog.id))
      .limit(limit);
  const [own, several, others] = await Promise.all([
    listAudit(db, { subject, subjectId: id }, limit),
    naming({ subject, subjectId: SEVERAL }),
    among ? naming(among) : [],
  ]);
  return [...own, ...several, ...others].sort((a, b) => b.id - a.id).slice(0, limit);
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
  among: Among | null = null,
): Promise<{ changedBy: string[]; changedAt: number | null }> {
  const id = String(subjectId);
  const read = (entries: Among, isNamed?: SQL) =>
    db
      .select({ id: auditLog.id, actorName: auditLog.actorName, createdAt: auditLog.createdAt })
      .from(auditLog)
      .where(
        and(
          sql`${auditLog.id} in ${newestOf(entries, CHANGES_READ)}`,
          gte(auditLog.createdAt, since - CLOCK_MARGIN_MS),
          isNamed,
        ),
      );
  const found = await Promise.all([
    read({ subject, subjectId: id }),
    read({ subject, subjectId: SEVERAL }, names(id)),
    among ? read(among, names(id)) : [],
  ]);
  const entries = found.flat().sort((a, b) => b.id - a.id);
  const changedBy = [...new Set(entries.map(({ actorName }) => actorName))].filter((name) => name !== "");
  return { changedBy, changedAt: entries[0]?.createdAt ?? null };
}

function newestOf({ subject, subjectId }: Among, limit: number): SQL {
  return sql`(select newest.id from ${auditLog} newest where newest.subject_type = ${subject}
    and newest.subject_id = ${subjectId} order by newest.id desc limit ${limit})`;
}

/** Whether an entry about many rows names one: they are a list of ids, or values by id. A list's own keys are numbers. */
function names(id: string): SQL {
  const { detail } = auditLog;
  return sql`(exists (select 1 from json_each(${detail}, '$.services')
      where iif(typeof(key) = 'integer', cast(value as text), key) = ${id})
    or exists (select 1 from json_each(${detail}, '$.rates') where key = ${id}))`;
}

/**
 * Returns the statements that remove a deleted person from the log, both as actor and as subject. Actions and amounts
 * stay; reasons, emails, names and tags written by staff are removed. `orderIds` selects the person's orders.
 */
export function stripFromAudit(db: Db, userId: string, replacement: string, orderIds: SQL) {
  const withoutWords = sql`json_remove(${auditLog.detail}, '$.reason', '$.email', '$.name', '$.tags')`;
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
