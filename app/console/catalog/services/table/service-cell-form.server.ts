import { z } from "zod";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { changeService, readServiceChange } from "#app/console/catalog/services/service-admin.server.ts";
import { SERVICE_FIELDS } from "#app/console/catalog/services/service-admin-form.server.ts";
import { AGREED, LOSS_FIELD } from "#app/console/loss-field.tsx";
import { rowId } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { refusalText } from "#app/orders/services/service-guard.ts";
import { DAY_MS } from "#app/time.ts";
import { CELL_FIELDS, type CellField } from "./service-filter-names.ts";
import { readServiceRow, type ServiceRow } from "./service-list.server.ts";

/** The result of saving a cell, with its current row. `asksLoss`: the value is saved if a person agrees to the loss. */
export type CellResult = FormResult & { row?: ServiceRow; asksLoss?: boolean };

const VALUES = {
  ...SERVICE_FIELDS,
  enabled: z.enum(["on", "off"]).transform((text) => text === "on"),
} satisfies Record<CellField, z.ZodType<unknown, string>>;

const version = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number);

/**
 * Saves one cell of the list, if its service is still at the version that the list shows. Returns null for what no list
 * sends.
 */
export async function submitCellForm(db: Db, actor: Actor, form: FormData): Promise<CellResult | null> {
  const id = rowId.safeParse(formText(form, "id"));
  const from = version.safeParse(formText(form, "version"));
  const field = CELL_FIELDS.find((known) => known === formText(form, "field"));
  if (!id.success || !from.success || !field) return null;
  const intent = "cell";
  const value = VALUES[field].safeParse(formText(form, "value"));
  if (!value.success) return { intent, ok: false, message: value.error.issues[0]?.message ?? "Enter another value" };
  const saved = await changeService(db, actor, id.data, { [field]: value.data }, from.data, {
    toLoss: formText(form, LOSS_FIELD) === AGREED,
  });
  const row = await readServiceRow(db, id.data);
  if (!row) return { intent, ok: false, message: refusalText("not_found") };
  if (saved.ok) return { intent, ok: true, row };
  const message = refusalText(saved.reason);
  if (saved.reason !== "stale") {
    return { intent, ok: false, message, row, ...(saved.reason === "below_cost" && { asksLoss: true }) };
  }
  const { changedBy } = await readServiceChange(db, id.data, Date.now() - STALE_FOR_MS);
  const who = changedBy[0] ?? "An import";
  return { intent, ok: false, message: `${message} ${who} changed it: save again to save over it.`, row };
}

/** A list may have been open for hours. */
const STALE_FOR_MS = DAY_MS;
