import { FILTER_PARAMS } from "#app/console/catalog/services/table/service-filter-names.ts";
import { readUndoing } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { listCategories } from "#app/orders/catalog/service-categories.server.ts";
import { type Planned, planSelected, planUndo, readBulkEntry } from "./apply-bulk.server.ts";
import type { BulkField, Left } from "./bulk-change.ts";
import { readBulkInput } from "./bulk-input.server.ts";
import { type LeftRow, lossOf, type PlannedRow } from "./bulk-plan.ts";
import { MAX_SELECTED, readSelected, readSelection } from "./selected-services.server.ts";

/** More rows than anybody reads. Those that lose most, or earn least, come first. */
export const ROWS_SHOWN = 200;

/** A plan as a page shows it. */
export type ShownPlan = {
  field: BulkField;
  digest: string;
  rows: PlannedRow[];
  count: number;
  loss: { count: number; sum: number };
  left: { why: Left; count: number; some: LeftRow[] }[];
};

/** Returns the page of a change of the selection in the URL: what is selected, and what the change would do. */
export async function readBulkPage(db: Db, params: URLSearchParams) {
  const selection = readSelection(params);
  const input = readBulkInput(params);
  const [selected, categories] = await Promise.all([
    readSelected(db, selection),
    input.kind === "category" ? listCategories(db) : [],
  ]);
  const { change, ...fields } = input;
  return {
    ...fields,
    selected: selected?.length ?? null,
    most: MAX_SELECTED,
    kept: keptParams(params),
    backTo: backTo(params),
    categories: [...new Set(categories.map(({ category }) => category))].sort(),
    plan: selected && change && shownPlan(planSelected(selected, change)),
  };
}

/** Returns the page of a change that was made, with what undoing it would do. Null if there is none with this id. */
export async function readBulkEntryPage(db: Db, entryId: number) {
  const entry = await readBulkEntry(db, entryId);
  if (!entry) return null;
  const { values, ...about } = entry;
  const [planned, undoneBy] = await Promise.all([planUndo(db, entry), readUndoing(db, entryId)]);
  return { ...about, count: values.size, plan: shownPlan(planned), undoneBy };
}

function shownPlan({ plan, digest }: Planned): ShownPlan {
  const whys = [...new Set(plan.left.map(({ why }) => why))];
  return {
    field: plan.field,
    digest,
    rows: [...plan.rows].sort(byUrgency).slice(0, ROWS_SHOWN),
    count: plan.rows.length,
    loss: lossOf(plan),
    left: whys.map((why) => {
      const all = plan.left.filter((row) => row.why === why);
      return { why, count: all.length, some: all.slice(0, 20) };
    }),
  };
}

function byUrgency(one: PlannedRow, other: PlannedRow): number {
  const margin = (row: PlannedRow) => row.marginAfter ?? Number.MAX_SAFE_INTEGER;
  return other.loss - one.loss || margin(one) - margin(other) || one.id - other.id;
}

/** The parameters of the selection, which the forms of the page keep. */
function keptParams(params: URLSearchParams): [string, string][] {
  const isAll = params.get("all") === "1";
  const names: readonly string[] = isAll ? ["all", ...FILTER_PARAMS] : ["id"];
  return names.flatMap((name) => params.getAll(name).map((value): [string, string] => [name, value]));
}

/** The list that the selection was made in. */
function backTo(params: URLSearchParams): string {
  const kept = new URLSearchParams([...params].filter(([name]) => (FILTER_PARAMS as readonly string[]).includes(name)));
  return `/admin/services${kept.size > 0 ? `?${kept}` : ""}`;
}
