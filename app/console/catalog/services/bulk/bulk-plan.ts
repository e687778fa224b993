import { marginOf } from "#app/orders/rules/margin.ts";
import { guard } from "#app/orders/services/service-guard.ts";
import type { BulkField, BulkService, BulkValue, Left } from "./bulk-change.ts";

/** A service that a bulk change changes. Margins are in basis points, null where none is known. */
export type PlannedRow = BulkService & {
  to: BulkValue;
  marginBefore: number | null;
  marginAfter: number | null;
  /** How much less than its provider the service would take while on sale, micro-units; 0 if it would not. */
  loss: number;
};

/** A service that stays as it is, and why. */
export type LeftRow = { id: number; name: string; why: Left };

/** The effects of a bulk change on its selection. */
export type BulkPlan = { field: BulkField; rows: PlannedRow[]; left: LeftRow[] };

/** Plans a change of one field of each service. `newValue` returns its value, or why it stays. */
export function planOf(
  services: BulkService[],
  field: BulkField,
  newValue: (service: BulkService) => { to: BulkValue } | { left: Left },
): BulkPlan {
  const plan: BulkPlan = { field, rows: [], left: [] };
  for (const service of services) {
    const result = newValue(service);
    if ("left" in result) {
      plan.left.push({ id: service.id, name: service.name, why: result.left });
      continue;
    }
    const after = { ...service, [field]: result.to };
    plan.rows.push({
      ...service,
      to: result.to,
      marginBefore: marginIn(service),
      marginAfter: marginIn(after),
      loss: guard(service, after, {}) === "below_cost" ? (after.providerRate ?? 0) - after.rate : 0,
    });
  }
  return plan;
}

/** Returns what would sell below cost, which is confirmed apart: how many services, and the sum of what each loses. */
export function lossOf({ rows }: BulkPlan): { count: number; sum: number } {
  const losing = rows.filter(({ loss }) => loss > 0);
  return { count: losing.length, sum: losing.reduce((sum, { loss }) => sum + loss, 0) };
}

function marginIn({ rate, providerRate }: BulkService): number | null {
  return providerRate === null ? null : marginOf(rate, providerRate);
}
