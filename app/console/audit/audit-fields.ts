import { type Formats, formatsOf } from "#app/components/formats/number-formats.ts";
import { utcDay } from "#app/components/formats/utc-day.ts";
import type { AuditNames } from "#app/db/audit-names.server.ts";
import { MEANING_NAMES, MEANINGS } from "#app/orders/providers/conventions/error-meanings.ts";
import { AUDIT_MONEY_FIELDS, AUDIT_TIME_FIELDS } from "#app/orders/rules/audit-detail.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { ownValue } from "#app/own-value.ts";
import { ANNOUNCEMENT_WORDS } from "#app/words/announcement-words.ts";
import { CODE_WORDS } from "#app/words/code-words.ts";
import { type FieldWords, inSentence, labelOf, valueInSentence, valueWords } from "#app/words/field-words.ts";
import { PRICE_RULE_WORDS } from "#app/words/price-rule-words.ts";
import { PROVIDER_WORDS } from "#app/words/provider-words.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import { SETTING_WORDS } from "#app/words/setting-words.ts";
import { SUPPORT_SETTING_WORDS } from "#app/words/support-setting-words.ts";
import { TIER_WORDS } from "#app/words/tier-words.ts";
import { loggedWords } from "../resource/resource.ts";
import { resourceOf } from "../resources/all-resources.ts";

/** The fields of audit entries as people read them. */

/** Labels for fields of other actions, where the name in code is not clear enough. */
const OTHER_WORDS: FieldWords = {
  closes: "Open orders it closes",
  onlyOrderId: "Order it is tried on",
  providerOrderId: "Provider order ID",
  refund: "Refund of these orders",
  suppressed: { label: "Why it was suppressed", values: { complained: "reported as spam" } },
  triedOn: "Order it was tried on",
};
/** By the first word of an action, what the fields of its subject are called: as in the subject's form. */
const WORDS: Record<string, FieldWords> = {
  announcement: ANNOUNCEMENT_WORDS,
  codes: CODE_WORDS,
  price_rule: PRICE_RULE_WORDS,
  provider: {
    ...PROVIDER_WORDS,
    provider: PROVIDER_WORDS.name,
    meaning: {
      label: "Meaning",
      values: Object.fromEntries(MEANING_NAMES.map((name) => [name, MEANINGS[name].says])),
    },
  },
  service: SERVICE_WORDS,
  services: SERVICE_WORDS,
  setting: SETTING_WORDS,
  settings: SUPPORT_SETTING_WORDS,
  tier: TIER_WORDS,
};
/** Fields in basis points. */
const PERCENT_FIELDS = new Set(["riseLimit", "margin", "basisPoints"]);
/** Fields with the id of a row that has a name. */
const NAMED_FIELDS: Record<string, string> = { providerId: "provider", assignsTo: "customer" };
/** Fields whose text is an amount. */
const AMOUNT_TEXTS = new Set(["min_top_up", "maxDiscount", "minCharge"]);
/** Fields whose values stand in quotation marks. */
const QUOTED = new Set(["meaning"]);
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Fields with the end of a last day. */
const LAST_DAYS = new Set(["expiresAt", "ends"]);
const NONE = "none";

function wordsOf(action: string): FieldWords {
  const resource = resourceOf(action);
  return resource ? loggedWords(resource) : (ownValue(WORDS, action.split(".", 1).join()) ?? OTHER_WORDS);
}

/** Returns what a field of an action's subject is called: "minimum". One without words is its name in code, in words. */
export function fieldLabel(name: string, action: string): string {
  const known = labelOf(wordsOf(action), name) ?? labelOf(OTHER_WORDS, name);
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

/** Returns a value of a field in words: an amount, a percentage, an exact time, a name. */
export function fieldText(
  name: string,
  value: unknown,
  { action, formats, names }: { action: string; formats: Formats; names: AuditNames },
): string {
  if (value === null || value === undefined || value === "") return NONE;
  if (LAST_DAYS.has(name)) return utcDay(new Date(value as number | string).getTime() - 1);
  if (AUDIT_MONEY_FIELDS.has(name) && typeof value === "number") return formats.exactMoney(value);
  if (AUDIT_TIME_FIELDS.has(name) && typeof value === "number") return value === 0 ? NONE : exactTime(value);
  if (PERCENT_FIELDS.has(name) && typeof value === "number") return percentText(value);
  if (AMOUNT_TEXTS.has(name)) return `$${value}`;
  if (typeof value === "string" && ISO_TIME.test(value)) return exactTime(Date.parse(value));
  if (typeof value === "boolean") return value ? "yes" : "no";
  const type = ownValue(NAMED_FIELDS, name);
  if (type !== undefined)
    return ownValue(names, `${type} ${value}`) ?? (type === "customer" ? "a deleted account" : `${type} ${value}`);
  if (Array.isArray(value)) return value.map((one) => fieldText(name, one, { action, formats, names })).join(", ");
  if (typeof value === "object") return formats.number(Object.keys(value).length);
  if (typeof value === "number") return formats.number(value);
  const words = { ...OTHER_WORDS, ...wordsOf(action) };
  if (QUOTED.has(name)) return valueWords(words, name, String(value)) ?? String(value);
  return valueInSentence(words, name, String(value));
}

/** Returns how the fields of an action are written in a plan to undo it. `names`: of the rows that values name. */
export function planWords(action: string, names: AuditNames = {}) {
  return {
    label: (name: string) => fieldLabel(name, action),
    text: (name: string, value: unknown) => fieldText(name, value, { action, formats: formatsOf("en-US"), names }),
  };
}

/** Formats a time (ms) to the second in UTC. */
export function exactTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
