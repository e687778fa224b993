import { and, eq, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import type { AuditAction } from "#app/db/schema/audit-vocabulary.ts";
import { ownValue } from "#app/own-value.ts";
import type { ResourceType } from "./resource.ts";
import type { SeenRow, Stored } from "./store.server.ts";

/** A table whose rows people edit: see row-version.server.ts. */
type VersionedTable = SQLiteTable & { id: SQLiteColumn; version: SQLiteColumn };

/** Texts of a row by the names of its fields in the audit log. */
export type LoggedTexts = Record<string, string>;

/**
 * Stores a new row, or what `edited` is now, in one batch with its audit entry. An edit that changes nothing stores nothing.
 * Refuses as `stale` what someone else changed since it was seen, as `not_found` what is gone, as `full` a new row for which
 * `newId` selects none, as `repeated` a `once` used before, and as `taken` a value of `unique`, a column as SQLite names it.
 */
export async function saveRow<Table extends VersionedTable>(
  db: Db,
  by: Actor,
  type: ResourceType,
  change: {
    table: Table;
    unique?: string;
    edited: SeenRow | null;
    row: Table["$inferInsert"];
    /** What it was: null for a new one, or one that is gone. */
    was: LoggedTexts | null;
    is: LoggedTexts;
    newId: SQL<string>;
    once?: string | null;
  },
): Promise<Stored> {
  const { table, unique, edited, row, was, is, newId, once = null } = change;
  const detail = changedTexts(was, is);
  try {
    if (edited === null) {
      await db.batch([
        db.insert(table).values(row),
        audit(db, by, { action: actionOf(type, "create"), subject: type, subjectId: newId, detail, onceKey: once }),
      ]);
      return { ok: true };
    }
    if (was === null) return { ok: false, reason: "not_found" };
    if (Object.keys(detail).length === 0) return { ok: true };
    const { id, version } = edited;
    await db.batch([
      // NULL, which the audit log refuses, if it was deleted.
      audit(db, by, {
        action: actionOf(type, "change"),
        subject: type,
        subjectId: sql<string>`(select ${table.id} from ${table} where ${table.id} = ${id})`,
        detail,
      }),
      db
        .update(table)
        .set({ ...row, version: nextVersion(table.version, version) })
        .where(eq(table.id, id)),
    ]);
    return { ok: true };
  } catch (error) {
    if (unique !== undefined && violates(error, unique)) return { ok: false, reason: "taken" };
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (isStale(error, getTableName(table))) return { ok: false, reason: "stale" };
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: edited === null ? "full" : "not_found" };
    throw error;
  }
}

/** Deletes a row with its audit entry. Does nothing to one that is gone, and refuses one that was changed since. */
export async function deleteRow(
  db: Db,
  by: Actor,
  type: ResourceType,
  { table, seen: { id, version }, was }: { table: VersionedTable; seen: SeenRow; was: LoggedTexts | null },
): Promise<Stored> {
  if (!was) return { ok: true };
  // NULL, which the audit log refuses, if it was changed.
  const subjectId = sql<string>`(select ${table.id} from ${table} where ${table.id} = ${id} and ${table.version} = ${version})`;
  const detail = changedTexts(was, null);
  try {
    await db.batch([
      audit(db, by, { action: actionOf(type, "delete"), subject: type, subjectId, detail }),
      db.delete(table).where(eq(table.id, id)),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: "stale" };
    throw error;
  }
}

/** Sets columns of a row that meets a condition, with the audit entry `disable`. Does nothing to another one. */
export async function disableRow<Table extends SQLiteTable & { id: SQLiteColumn }>(
  db: Db,
  by: Actor,
  type: ResourceType,
  { table, id, isEnabled, set }: { table: Table; id: number; isEnabled: SQL; set: SQLiteUpdateSetSource<Table> },
): Promise<void> {
  const isIt = and(eq(table.id, id), isEnabled);
  // NULL, which the audit log refuses, for what is disabled or doesn't exist.
  const subjectId = sql<string>`(select cast(${table.id} as text) from ${table} where ${isIt})`;
  try {
    await db.batch([
      audit(db, by, { action: actionOf(type, "disable"), subject: type, subjectId }),
      db.update(table).set(set).where(isIt),
    ]);
  } catch (error) {
    if (!violates(error, "audit_log.subject_id")) throw error;
  }
}

function actionOf(type: ResourceType, verb: "create" | "change" | "delete" | "disable"): AuditAction {
  return `${type}.${verb}` as AuditAction;
}

/** Returns what differs, from what to what. A field that was and is empty says nothing. */
function changedTexts(was: LoggedTexts | null, is: LoggedTexts | null): Record<string, [string | null, string | null]> {
  const names = Object.keys(was ?? is ?? {});
  const detail = names.map((name) => [name, [ownValue(was, name) ?? null, ownValue(is, name) ?? null]] as const);
  return Object.fromEntries(
    detail.filter(([, [from, to]]) => from !== to && (from || to)).map(([n, p]) => [n, [...p]]),
  );
}
