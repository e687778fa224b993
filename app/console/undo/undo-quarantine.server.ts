import { and, between, eq, inArray, isNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { DECIDED_COLUMNS, decidedColumns, type ServiceBefore } from "#app/console/catalog/imports/decided-service.ts";
import {
  DECISIONS,
  type Decision,
  decideWaiting,
  listWaiting,
} from "#app/console/catalog/imports/quarantine-decisions.server.ts";
import { type Actor, type AuditEntry, audit, auditSubjectsOf } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isStale } from "#app/db/row-version.server.ts";
import { quarantine, services } from "#app/db/schema.server.ts";
import {
  neverUndone,
  type PreparedUndo,
  preparedUndo,
  type UndoChange,
  type UndoLeft,
  type Undone,
} from "#app/http/edits/undo-plan.ts";

/** Clocks of two machines differ, and the entry has another reading of the clock than what it decided. */
const CLOCK_MARGIN_MS = 10_000;
/** Keeps the JSON well below the size limit of a bound parameter. */
const ROWS_PER_STATEMENT = 200;
const CHANGED = "Someone else changed one of these services meanwhile. Nothing was undone.";
const { exactMoney } = formatsOf("en-US");

type Reopened = { id: number; version: number; finding: number; before: ServiceBefore };
type Row = { id: number; name: string; version: number; rate: number; enabled: boolean };

/**
 * Undoes a decision about a provider's changes: each service gets back the terms from before it, and the change waits
 * again. A service that was changed since stays.
 */
export async function undoDecision(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const decision = decisionIn(entry.action);
  const restore = (entry.detail.restore ?? null) as Record<string, ServiceBefore> | null;
  if (restore === null || decision === null) return neverUndone("The entry doesn't say what the services were before.");
  const ids = Object.keys(restore).map(Number);
  const [rows, findings] = await Promise.all([readServices(db, ids), readFindings(db, entry, decision)]);
  const changes: UndoChange[] = [];
  const left: UndoLeft[] = [];
  const reopened: Reopened[] = [];
  for (const row of rows) {
    const before = restore[row.id];
    const finding = findings.get(row.id);
    if (!before || row.version !== before[0]) left.push({ label: row.name, why: "changed since" });
    else if (finding === "open") left.push({ label: row.name, why: "its provider changed it again, and that waits" });
    else if (finding === undefined) left.push({ label: row.name, why: "what was decided is no longer kept" });
    else {
      changes.push({ label: row.name, now: stateText(row), to: `${stateText(decidedColumns(before))}, waiting` });
      reopened.push({ id: row.id, version: row.version, finding, before });
    }
  }
  const version = reopened.map((one) => `${one.id}:${one.version}:${one.finding}`).join();
  return preparedUndo({ changes, left, version }, (by: Actor) => reopen(db, by, entry, decision, reopened, rows));
}

async function reopen(
  db: Db,
  by: Actor,
  entry: AuditEntry,
  decision: Decision,
  reopened: Reopened[],
  rows: Row[],
): Promise<Undone> {
  const ids = reopened.map(({ id }) => id);
  const now = new Map(rows.map((row) => [row.id, row.rate]));
  const rates = reopened.flatMap(({ id, before }) => {
    const [from, to] = [now.get(id) ?? 0, decidedColumns(before).rate];
    return from === to ? [] : [[id, [from, to]] as const];
  });
  const restore = Object.fromEntries(reopened.map(({ id, version }) => [id, version + 1]));
  const detail = { decision, services: ids, rates: Object.fromEntries(rates), restore };
  const statements: [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]] = [
    audit(db, by, { action: "quarantine.reopen", subject: "provider", subjectId: entry.subjectId, detail }),
    auditSubjectsOf(db, "service", ids),
    ...chunks(reopened).flatMap((part) => [
      restoreServices(db, part),
      db
        .update(quarantine)
        .set({ decidedAt: null, decision: null })
        .where(
          inList(
            quarantine.id,
            part.map(({ finding }) => finding),
          ),
        ),
    ]),
  ];
  try {
    await db.batch(statements);
    return { ok: true };
  } catch (error) {
    // Another change of a service waits by now.
    if (isStale(error, "services") || violates(error, "quarantine.service_id")) return { ok: false, message: CHANGED };
    throw error;
  }
}

/** Undoes the reopening: decides again as it was, by the prices and rules of now. */
export async function undoReopening(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const decision = DECISIONS.find((known) => known === entry.detail.decision);
  const versions = (entry.detail.restore ?? {}) as Record<string, number>;
  if (!decision) return neverUndone("The entry doesn't say what was decided.");
  const ids = Object.keys(versions).map(Number);
  const [rows, waiting] = await Promise.all([readServices(db, ids), listWaiting(db, Number(entry.subjectId))]);
  const byService = new Map(waiting.map((one) => [one.serviceId, one]));
  const changes: UndoChange[] = [];
  const left: UndoLeft[] = [];
  const keys: string[] = [];
  for (const row of rows) {
    const open = byService.get(row.id);
    if (!open) left.push({ label: row.name, why: "no change of it waits any more" });
    else if (row.version !== versions[row.id]) left.push({ label: row.name, why: "changed since" });
    else {
      const rate = decision === "take" ? (open.rateByRule ?? row.rate) : row.rate;
      const enabled = decision === "off" ? false : open.isPaused || row.enabled;
      changes.push({ label: row.name, now: `${stateText(row)}, waiting`, to: stateText({ rate, enabled }) });
      keys.push(open.key);
    }
  }
  return preparedUndo({ changes, left, version: keys.join() }, async (by: Actor) => {
    const decided = await decideWaiting(db, by, decision, new Set(keys));
    return decided.ok ? { ok: true } : { ok: false, message: CHANGED };
  });
}

function decisionIn(action: string): Decision | null {
  return DECISIONS.find((known) => known === action.split(".")[1]) ?? null;
}

function stateText({ rate, enabled }: { rate: number; enabled: boolean }): string {
  return `${exactMoney(rate)}, ${enabled ? "on sale" : "off sale"}`;
}

function readServices(db: Db, ids: number[]): Promise<Row[]> {
  const { id, name, version, rate, enabled } = services;
  return db.select({ id, name, version, rate, enabled }).from(services).where(inList(id, ids)).orderBy(id);
}

/** Returns what was decided by the entry, by its service: the finding's id, or that another one is open. */
async function readFindings(db: Db, entry: AuditEntry, decision: Decision): Promise<Map<number, number | "open">> {
  const { id, serviceId, providerId, decidedAt } = quarantine;
  const ofProvider = eq(providerId, Number(entry.subjectId));
  const at = entry.createdAt;
  // Two reads: of those that wait and of those that were decided about then, each by its own index.
  const [open, decided] = await db.batch([
    db
      .select({ id, serviceId })
      .from(quarantine)
      .where(and(ofProvider, isNull(decidedAt))),
    db
      .select({ id, serviceId })
      .from(quarantine)
      .where(
        and(
          between(decidedAt, at - CLOCK_MARGIN_MS, at + CLOCK_MARGIN_MS),
          ofProvider,
          eq(quarantine.decision, decision),
        ),
      )
      .orderBy(id),
  ]);
  const found = new Map<number, number | "open">(decided.map((one) => [one.serviceId, one.id]));
  for (const one of open) found.set(one.serviceId, "open");
  return found;
}

/** Writes the terms from before the decision. A service that was changed since it was read stops the batch. */
function restoreServices(db: Db, part: Reopened[]) {
  const json = JSON.stringify(part.map(({ id, version, before }) => ({ id, version, ...decidedColumns(before) })));
  const given = (name: string) => sql`n.value ->> ${sql.raw(`'${name}'`)}`;
  return db
    .update(services)
    .set({
      ...Object.fromEntries(DECIDED_COLUMNS.map((name) => [name, given(name)])),
      version: sql`iif(${services.version} = ${given("version")}, ${services.version} + 1, null)`,
    })
    .from(sql`json_each(${json}) n`)
    .where(sql`${services.id} = ${given("id")}`);
}

function inList(column: typeof services.id | typeof quarantine.id, ids: number[]) {
  return inArray(column, sql`(select value from json_each(${JSON.stringify(ids)}))`);
}

function chunks(rows: Reopened[]): Reopened[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, n) =>
    rows.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT),
  );
}
