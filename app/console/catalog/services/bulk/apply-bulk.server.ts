import { and, eq } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, isRepeat, SEVERAL } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { changeServices } from "#app/orders/services/change-services.server.ts";
import { type ServiceChange, valuesIn } from "#app/orders/services/service-change.ts";
import type { Refusal } from "#app/orders/services/service-guard.ts";
import {
  BULK_FIELDS,
  type BulkChange,
  type BulkField,
  type BulkService,
  type BulkValue,
  changedValue,
  fieldOf,
  valueFor,
} from "./bulk-change.ts";
import { type BulkPlan, planOf } from "./bulk-plan.ts";
import { readSelected, type Selection } from "./selected-services.server.ts";

/** Changes of many services at once. Each is planned, shown, and applied exactly as it was shown, in one batch. */

/** The action of the audit entry of a change of many services. */
export const BULK_ACTION = "services.change";

/** A plan, and what names exactly this one: a change that is applied must still be it. */
export type Planned = { plan: BulkPlan; digest: string };
export type BulkRefusal =
  /** The services are not as they were in the preview. */
  | "changed"
  | "nothing"
  /** The change was undone before, and is once. */
  | "undone"
  | Refusal;

/** An audit entry of a change of many services, with [before, after] of the field by the service's id. */
export type BulkEntry = {
  id: number;
  actorName: string;
  createdAt: number;
  /** A description of the change, in words. */
  change: string;
  field: BulkField;
  /** The entry that this one undid. */
  undoes: number | null;
  values: Map<number, [BulkValue, BulkValue]>;
};

/** Returns what a change would do, or null for a selection that is too large. */
export async function planChange(db: Db, selection: Selection, change: BulkChange): Promise<Planned | null> {
  const selected = await readSelected(db, selection);
  return selected && planSelected(selected, change);
}

export function planSelected(selected: BulkService[], change: BulkChange): Planned {
  return digested(planOf(selected, fieldOf(change), (service) => changedValue(service, change)));
}

/** Returns what undoing an entry would do. Services that have another value by now are left alone. */
export async function planUndo(db: Db, entry: BulkEntry): Promise<Planned> {
  const selected = (await readSelected(db, { ids: [...entry.values.keys()] })) ?? [];
  const plan = planOf(selected, entry.field, (service) => {
    const [before, after] = entry.values.get(service.id) ?? [];
    const isAsLeft = before !== undefined && service[entry.field] === after;
    return isAsLeft ? valueFor(service, entry.field, before) : { left: "changed_since" };
  });
  return digested(plan);
}

/**
 * Applies a plan, if it is still the one that was shown. One batch: all services or none, with their values before and
 * after in one audit entry, whose id it returns.
 */
export async function applyPlan(
  db: Db,
  actor: Actor,
  { plan, digest }: Planned,
  agreed: { digest: string; toLoss: boolean },
  about: Record<string, unknown>,
): Promise<{ ok: true; entryId: number; changed: number } | { ok: false; reason: BulkRefusal }> {
  if (digest !== agreed.digest) return { ok: false, reason: "changed" };
  if (plan.rows.length === 0) return { ok: false, reason: "nothing" };
  const { field, rows } = plan;
  const changes = rows.map((before): ServiceChange => ({ before, set: { [field]: before.to } }));
  const entry = {
    action: BULK_ACTION,
    subject: "service",
    subjectId: rows.length === 1 && rows[0] ? rows[0].id : SEVERAL,
    detail: { ...about, field, count: rows.length, services: valuesIn(changes, field) },
  } as const;
  try {
    const saved = await changeServices(db, actor, [{ changes, entry }], agreed);
    if (!saved.ok) return { ok: false, reason: saved.reason === "stale" ? "changed" : saved.reason };
    const [written] = saved.entries;
    if (!written) throw new Error("the change has no audit entry");
    return { ok: true, entryId: written.id, changed: rows.length };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "undone" };
    throw error;
  }
}

/** Returns the entry of a change of many services, or null if there is none with this id. */
export async function readBulkEntry(db: Db, entryId: number): Promise<BulkEntry | null> {
  const [entry] = await db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.id, entryId), eq(auditLog.action, BULK_ACTION)))
    .limit(1);
  if (!entry) return null;
  const { id, actorName, createdAt, detail } = entry;
  const field = BULK_FIELDS.find((known) => known === detail.field);
  if (!field) throw new Error(`audit entry ${id} names no field`);
  const values = Object.entries(detail.services as Record<string, [BulkValue, BulkValue]>);
  return {
    id,
    actorName,
    createdAt,
    change: typeof detail.change === "string" ? detail.change : "Services changed",
    field,
    undoes: typeof detail.undoes === "number" ? detail.undoes : null,
    values: new Map(values.map(([serviceId, pair]) => [Number(serviceId), pair])),
  };
}

function digested(plan: BulkPlan): Planned {
  // Staff agree to the losses that were shown: a provider's new cost can arrive without a new version of the service.
  const rows = plan.rows.map(({ id, version, to, loss }) => [id, version, to, loss]);
  return { plan, digest: sha256(JSON.stringify([plan.field, rows])) };
}
