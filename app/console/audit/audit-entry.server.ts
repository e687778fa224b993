import { asc, eq, sql } from "drizzle-orm";
import { type AuditEntry, ENTRY_COLUMNS, readUndoing } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog, auditSubjects } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import { withWords } from "./activity.server.ts";
import { namesById } from "./audit-names.server.ts";
import type { AuditRow } from "./audit-row.ts";

/** Subjects of an entry about many that its page lists. */
const SUBJECTS_SHOWN = 200;

/** A subject of an entry about many, with what its rate was and became (micro-units), if that is known. */
export type EntrySubject = { type: string; id: string; name: string; rate: [number, number] | null };

export async function readAuditEntry(db: Db, entryId: number): Promise<AuditEntry | null> {
  const [entry] = await db.select(ENTRY_COLUMNS).from(auditLog).where(eq(auditLog.id, entryId)).limit(1);
  return entry ?? null;
}

/** Returns an entry as its page shows it: with names, with what it is about, and who undid it. */
export async function describeEntry(db: Db, entry: AuditEntry) {
  const [named, undoneBy, [counted], subjects] = await Promise.all([
    withWords(db, [entry]),
    readUndoing(db, entry.id),
    db.select({ count: sql<number>`count(*)` }).from(auditSubjects).where(eq(auditSubjects.entryId, entry.id)),
    db
      .select({ type: auditSubjects.subjectType, id: auditSubjects.subjectId })
      .from(auditSubjects)
      .where(eq(auditSubjects.entryId, entry.id))
      .orderBy(
        asc(auditSubjects.subjectType),
        sql`cast(${auditSubjects.subjectId} as integer)`,
        asc(auditSubjects.subjectId),
      )
      .limit(SUBJECTS_SHOWN),
  ]);
  const [first] = named;
  if (!first) throw new Error("the entry was not named");
  const names = new Map<string, string>();
  for (const type of new Set(subjects.map((one) => one.type))) {
    const ids = subjects.filter((one) => one.type === type).map(({ id }) => id);
    for (const [id, name] of await namesById(db, type, ids)) names.set(`${type} ${id}`, name);
  }
  const rates = ratesIn(entry.detail);
  const listed = subjects.map(({ type, id }): EntrySubject => {
    const name = names.get(`${type} ${id}`) ?? `${type} ${id}`;
    return { type, id, name, rate: type === "service" ? (ownValue(rates, id) ?? null) : null };
  });
  return { entry: withoutMany(first), subjects: listed, subjectCount: counted?.count ?? 0, undoneBy };
}

/** What is about thousands is listed by its subjects, and what an undo needs is for no page. */
function withoutMany<Entry extends AuditRow>({ detail, ...entry }: Entry) {
  const { restore: _, services, rates, ...rest } = detail;
  const count = (value: unknown) => (typeof value === "object" && value !== null ? Object.keys(value).length : value);
  const counted = {
    ...(services !== undefined && { services: count(services) }),
    ...(rates !== undefined && { rates: count(rates) }),
  };
  return { ...entry, detail: { ...rest, ...counted } };
}

function ratesIn({ rates, services, field }: AuditEntry["detail"]): Record<string, [number, number] | undefined> {
  if (field === "rate") return services as Record<string, [number, number]>;
  return typeof rates === "object" && rates !== null ? (rates as Record<string, [number, number]>) : {};
}
