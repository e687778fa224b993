import { type Formats, formatsOf } from "#app/components/formats/number-formats.ts";
import { utcDay } from "#app/components/formats/utc-day.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { ownValue } from "#app/own-value.ts";
import { inSentence } from "#app/words/field-words.ts";
import type { AuditNames, LoggedFields } from "./audit-row.ts";

/** The fields of audit entries as people read them. */

const ISO_DAY = /^\d{4}-\d\d-\d\d$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const NONE = "none";

/** Returns what a field of an action's subject is called: "minimum". One without words is its name in code, in words. */
export function fieldLabel(name: string, fields: LoggedFields): string {
  const known = ownValue(fields, name)?.label;
  if (known !== undefined) return inSentence(known);
  return name
    .replaceAll("_", " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

/** Returns whether a field has no value: it is empty, or a switch that is off. */
export function isEmptyField(value: unknown): boolean {
  return value === null || value === undefined || value === "" || value === false;
}

/** Returns whether a value is a list of nothing, which says nothing. */
export function isEmptyList(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

type Words = { fields: LoggedFields; formats: Formats; names: AuditNames };

/** Returns a value of a field in words: an amount, a percentage, an exact time, a name. */
export function fieldText(name: string, value: unknown, words: Words): string {
  const { fields, formats } = words;
  if (value === null || value === undefined || value === "") return NONE;
  const { valueKind: kind, names, values, isQuoted } = ownValue(fields, name) ?? {};
  if (kind === "lastDay") return lastDayText(value as number | string);
  if (typeof value === "number") {
    if (kind === "money") return formats.exactMoney(value);
    if (kind === "time") return value === 0 ? NONE : exactTime(value);
    if (kind === "basisPoints") return percentText(value);
  }
  if (kind === "money" && typeof value === "string") return `$${value}`;
  if (typeof value === "string" && ISO_TIME.test(value)) return exactTime(Date.parse(value));
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (names !== undefined && typeof value !== "object") return nameText(names, String(value), words);
  if (Array.isArray(value)) return value.map((one) => fieldText(name, one, words)).join(", ");
  if (typeof value === "object") return formats.number(Object.keys(value).length);
  if (typeof value === "number") return formats.number(value);
  const known = ownValue(values, String(value));
  if (known === undefined) return String(value);
  return isQuoted ? known : inSentence(known);
}

/** A form that is edited logs the day itself, other writers the moment after it. */
function lastDayText(value: number | string): string {
  const at = new Date(value).getTime();
  return utcDay(ISO_DAY.test(String(value)) ? at : at - 1);
}

function nameText(type: string, id: string, { names }: Words): string {
  return ownValue(names, `${type} ${id}`) ?? (type === "customer" ? "a deleted account" : `${type} ${id}`);
}

/** Returns how the fields of an action are written in a plan to undo it. `names`: of the rows that values name. */
export function planWords(fields: LoggedFields, names: AuditNames = {}) {
  return {
    label: (name: string) => fieldLabel(name, fields),
    text: (name: string, value: unknown) => fieldText(name, value, { fields, formats: formatsOf("en-US"), names }),
  };
}

/** Formats a time (ms) to the second in UTC. */
export function exactTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
