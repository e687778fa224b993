import { and, between, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import {
  DECISIONS,
  type Decision,
  decideWaiting,
  listWaiting,
} from "#app/console/catalog/imports/quarantine-decisions.server.ts";
import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { quarantine, services } from "#app/db/schema.server.ts";
import {
  neverUndone,
  type PreparedUndo,
  preparedUndo,
  type UndoChange,
  type UndoLeft,
  type Undone,
} from "#app/http/edits/undo-plan.ts";
import { reopenFindings } from "#app/orders/providers/catalog-findings.server.ts";
import { changeServices, refusalOf } from "#app/orders/services/change-services.server.ts";
import {
  decidedColumns,
  idsIn,
  type ServiceBefore,
  type ServiceChange,
  valuesIn,
  versionAfter,
} from "#app/orders/services/service-change.ts";
import { type Agreed, refusalText } from "#app/orders/services/service-guard.ts";

/** Clocks of two machines differ, and the entry has another reading of the clock than what it decided. */
const CLOCK_MARGIN_MS = 10_000;
const { exactMoney } = formatsOf("en-US");

/** Without the longest texts: a decision can be about thousands. */
const { description: _, ...COLUMNS } = getTableColumns(services);
type Row = Omit<typeof services.$inferSelect, "description">;
type Finding = Pick<typeof quarantine.$inferSelect, "id" | "reason" | "offered">;
/** The change that gives a service back its terms, and the finding that is open again then. */
type Reopened = { change: ServiceChange; finding: Finding };

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
      const set = decidedColumns(before);
      changes.push({ label: row.name, now: stateText(row), to: `${stateText(set)}, waiting` });
      // On sale while its change waits, if it was: that is what was decided about. What it costs then is the higher one.
      const providerRate = highestCost(set.providerRate, finding);
      reopened.push({ change: { before: row, set, facts: { providerRate } }, finding });
    }
  }
  const version = reopened.map(({ change: { before }, finding }) => `${before?.id}:${before?.version}:${finding.id}`);
  const asksForLoss = refusalOf(changesIn(reopened), {}) === "below_cost";
  return preparedUndo({ changes, left, version: version.join(), asksForLoss }, (by: Actor, agreed) =>
    reopen(db, by, entry, { decision, reopened, agreed }),
  );
}

function changesIn(reopened: Reopened[]): ServiceChange[] {
  return reopened.map(({ change }) => change);
}

/** Rates for another unit can't be compared. */
function highestCost(known: number | null, { reason, offered }: Finding): number | null {
  const coming = reason === "type" || !offered ? null : offered.rate;
  return known === null || coming === null ? (known ?? coming) : Math.max(known, coming);
}

async function reopen(
  db: Db,
  by: Actor,
  { subjectId }: AuditEntry,
  { decision, reopened, agreed }: { decision: Decision; reopened: Reopened[]; agreed: Agreed },
): Promise<Undone> {
  const changes = changesIn(reopened);
  const restore = Object.fromEntries(changes.map((change) => [change.before?.id, versionAfter(change)]));
  const detail = { decision, services: idsIn(changes), rates: valuesIn(changes, "rate"), restore };
  const entry = { action: "quarantine.reopen", subject: "provider", subjectId, detail } as const;
  const findings = reopened.map(({ finding }) => finding.id);
  const saved = await changeServices(db, by, [{ changes, entry }], agreed, reopenFindings(db, findings));
  return saved.ok ? { ok: true } : { ok: false, message: refusalText(saved.reason) };
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
  let asksForLoss = false;
  for (const row of rows) {
    const open = byService.get(row.id);
    if (!open) left.push({ label: row.name, why: "no change of it waits any more" });
    else if (row.version !== versions[row.id]) left.push({ label: row.name, why: "changed since" });
    else {
      const rate = decision === "take" ? (open.rateByRule ?? row.rate) : row.rate;
      const enabled = decision === "off" ? false : open.isPaused || row.enabled;
      changes.push({ label: row.name, now: `${stateText(row)}, waiting`, to: stateText({ rate, enabled }) });
      keys.push(open.key);
      if (decision === "keep" && open.asksForLoss) asksForLoss = true;
    }
  }
  const plan = { changes, left, version: keys.join(), asksForLoss };
  return preparedUndo(plan, async (by: Actor, agreed) => {
    const decided = await decideWaiting(db, by, decision, new Set(keys), agreed);
    const isRefused = !decided.ok && decided.reason === "below_cost";
    return decided.ok ? { ok: true } : { ok: false, message: refusalText(isRefused ? "below_cost" : "stale") };
  });
}

function decisionIn(action: string): Decision | null {
  return DECISIONS.find((known) => known === action.split(".")[1]) ?? null;
}

function stateText({ rate, enabled }: { rate: number; enabled: boolean }): string {
  return `${exactMoney(rate)}, ${enabled ? "on sale" : "off sale"}`;
}

function readServices(db: Db, ids: number[]): Promise<Row[]> {
  const isListed = inArray(services.id, sql`(select value from json_each(${JSON.stringify(ids)}))`);
  return db.select(COLUMNS).from(services).where(isListed).orderBy(services.id);
}

/** Returns what was decided by the entry, by its service: the finding, or that another one is open. */
async function readFindings(db: Db, entry: AuditEntry, decision: Decision): Promise<Map<number, Finding | "open">> {
  const { id, serviceId, providerId, decidedAt, reason, offered } = quarantine;
  const ofProvider = eq(providerId, Number(entry.subjectId));
  const at = entry.createdAt;
  // Two reads: of those that wait and of those that were decided about then, each by its own index.
  const [open, decided] = await db.batch([
    db
      .select({ id, serviceId })
      .from(quarantine)
      .where(and(ofProvider, isNull(decidedAt))),
    db
      .select({ id, serviceId, reason, offered })
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
  const found = new Map<number, Finding | "open">(decided.map((one) => [one.serviceId, one]));
  for (const one of open) found.set(one.serviceId, "open");
  return found;
}
