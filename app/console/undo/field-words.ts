import { formatsOf } from "#app/components/formats/number-formats.ts";
import { fieldLabel, fieldText } from "#app/console/audit/audit-fields.ts";
import type { AuditNames } from "#app/db/audit-names.server.ts";

const FORMATS = formatsOf("en-US");

/** Returns how fields and their values are written in a plan. `names`: of the rows that values name. */
export function fieldWords(names: AuditNames = {}) {
  return { label: fieldLabel, text: (name: string, value: unknown) => fieldText(name, value, FORMATS, names) };
}
