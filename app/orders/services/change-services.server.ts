import { and, eq, getTableColumns, isNotNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Actor, audit, auditSubjectsOf, SEVERAL } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { inChunks } from "#app/db/row-chunks.ts";
import { isStale } from "#app/db/row-version.server.ts";
import { auditLog, services } from "#app/db/schema.server.ts";
import { idsIn, isWritten, judgedAfter, type ServiceChange } from "./service-change.ts";
import { type Agreed, guard, type Refusal } from "./service-guard.ts";

/** The only writer of services. Triggers raise the version of the catalog with each row. */

type Statement = BatchItem<"sqlite">;

/** Changes with the audit entry that tells them. Null: nobody's, but a night's. */
export type ToldChanges = { changes: ServiceChange[]; entry: Parameters<typeof audit>[2] | null };

/** The audit entries that were written, in the order of the changes. */
type WrittenEntry = { id: number; subjectId: string };
export type Changed = { ok: true; entries: WrittenEntry[] } | { ok: false; reason: Refusal };

const COLUMNS = getTableColumns(services);
/** The values of a new service's columns that it doesn't give. */
const DEFAULTS = Object.fromEntries(Object.entries(COLUMNS).map(([name, column]) => [name, column.default ?? null]));

/**
 * Changes one service or thousands, all or none, in one batch with the audit entries and the statements that go along. Throws
 * if a night's change must wait for a person, and what the batch throws for another reason than these changes.
 */
export async function changeServices(
  db: Db,
  actor: Actor | null,
  told: ToldChanges[],
  agreed: Agreed,
  along: Statement[] = [],
): Promise<Changed> {
  const changes = told.flatMap((one) => one.changes);
  const refusal = refusalOf(changes, agreed);
  if (refusal) return { ok: false, reason: refusal };
  const [added, changed] = [changes.filter(({ before }) => !before), changes.filter(({ before }) => before)];
  const inserts = insert(db, added);
  const entries = told.flatMap(({ changes: of, entry }) => (actor && entry ? tell(db, actor, entry, of) : []));
  // What goes along compares versions that the updates raise.
  const statements = [...inserts, ...entries, ...along, ...update(db, changed.filter(isWritten))];
  const [first, ...rest] = statements;
  if (!first) return { ok: true, entries: [] };
  try {
    const results = await db.batch([first, ...rest]);
    const written = results.slice(inserts.length, inserts.length + entries.length) as unknown[];
    return { ok: true, entries: written.flatMap((rows) => (Array.isArray(rows) ? (rows as WrittenEntry[]) : [])) };
  } catch (error) {
    return { ok: false, reason: refusedBy(error) };
  }
}

/** Returns the first refusal of the guard. */
export function refusalOf(changes: ServiceChange[], agreed: Agreed): Refusal | null {
  for (const change of changes) {
    const [before, after] = [change.before, judgedAfter(change)];
    const { within } = agreed;
    if (within === undefined) {
      const refusal = guard(before, after, agreed);
      if (refusal) return refusal;
    } else {
      const reason = guard(before, after, { within });
      if (reason) throw new Error(`service ${before?.id} was to be changed, but waits: ${reason}`);
    }
  }
  return null;
}

/** Forgets what the services of a provider cost, if its rates are in another currency than ours. No version: no terms change. */
export async function forgetProviderRates(db: Db, providerId: number): Promise<void> {
  await db
    .update(services)
    .set({ providerRate: null })
    .where(and(eq(services.providerId, providerId), isNotNull(services.providerRate)));
}

function tell(db: Db, actor: Actor, entry: NonNullable<ToldChanges["entry"]>, changes: ServiceChange[]): Statement[] {
  const written = audit(db, actor, entry).returning({ id: auditLog.id, subjectId: auditLog.subjectId });
  const isAboutOne = entry.subject === "service" && entry.subjectId !== SEVERAL;
  return isAboutOne ? [written] : [written, auditSubjectsOf(db, "service", idsIn(changes))];
}

/** One that was taken meanwhile stops the batch: each service of a provider is once. */
function insert(db: Db, added: ServiceChange[]): Statement[] {
  const rows = added.map(({ set }) => {
    const given = Object.entries(set).filter(([, value]) => value !== undefined);
    return { ...DEFAULTS, ...Object.fromEntries(given) };
  });
  // In the order of the table's columns.
  const values = Object.keys(COLUMNS).map((name) => (name === "id" ? sql`null` : given(name)));
  return inChunks(rows, (json) =>
    db.insert(services).select(sql`select ${sql.join(values, sql`, `)} from json_each(${json}) n`),
  );
}

/** A statement for each 200 changes of the same columns. */
function update(db: Db, changes: ServiceChange[]): Statement[] {
  const alike = Map.groupBy(changes, ({ set, skipsStale = false }) => `${skipsStale} ${Object.keys(set)}`);
  return [...alike.values()].flatMap((group) => {
    const { set, skipsStale = false } = group[0] as ServiceChange;
    const rows = group.map((change) => ({ ...change.set, id: change.before?.id, version: change.before?.version }));
    const isCurrent = sql`${services.version} = ${given("version")}`;
    const isService = sql`${services.id} = ${given("id")}`;
    return inChunks(rows, (json) =>
      db
        .update(services)
        .set({
          ...Object.fromEntries(Object.keys(set).map((name) => [name, given(name)])),
          // NULL, which the column refuses, if the service changed since it was read.
          version: sql`iif(${isCurrent}, ${services.version} + 1, null)`,
        })
        .from(sql`json_each(${json}) n`)
        .where(skipsStale ? and(isService, isCurrent) : isService),
    );
  });
}

function given(name: string): SQL {
  return sql`n.value ->> ${sql.raw(`'${name}'`)}`;
}

/** Returns why a batch was refused. Rethrows any other error. */
function refusedBy(error: unknown): Refusal {
  const isOutdated = isStale(error, "services") || violates(error, "quarantine_decided_whole");
  // Another change of a service waits by then.
  if (isOutdated || violates(error, "quarantine.service_id")) return "stale";
  if (violates(error, "services.provider_id")) return "provider_service_taken";
  if (error instanceof Error && /FOREIGN KEY/.test(String(error.cause ?? error))) return "unknown_provider";
  throw error;
}
