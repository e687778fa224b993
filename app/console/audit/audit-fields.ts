import type { Formats } from "#app/components/formats/number-formats.ts";
import { utcDay } from "#app/components/formats/utc-day.ts";
import type { AuditNames } from "#app/db/audit-names.server.ts";
import { MEANING_NAMES, MEANINGS } from "#app/orders/providers/conventions/error-meanings.ts";
import { AUDIT_MONEY_FIELDS, AUDIT_TIME_FIELDS } from "#app/orders/rules/audit-detail.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { ownValue } from "#app/own-value.ts";

/** The fields of audit entries as people read them. */

/** Fields whose name in code says less than this. All others are their name in words: `startCount`, "start count". */
const LABELS: Record<string, string> = {
  addsNote: "note it adds",
  addsTags: "tags it adds",
  alert_emails: "more alert addresses",
  apiUrl: "API URL",
  audience: "shown to",
  assignsInTurn: "assigns in turn",
  assignsTo: "person it assigns",
  body: "text",
  callsPerMinute: "calls per minute",
  concurrentCalls: "calls at once",
  closes: "open orders it closes",
  contactEmail: "contact email",
  conversations_kept_days: "days that closed conversations are kept",
  dripfeed: "drip-feed",
  emails_kept_days: "days that sent emails are kept",
  ending: "last characters",
  enabled: "on sale",
  ends: "last day (UTC)",
  expiresAt: "last day (UTC)",
  honorsIdempotencyKeys: "honors idempotency keys",
  linkCheck: "link check",
  linkKind: "kind of link",
  linkLabel: "link text",
  link_check: "link check of new services",
  max: "maximum quantity",
  maxDiscount: "maximum discount",
  maxUses: "uses per code",
  min: "minimum quantity",
  minCharge: "minimum charge",
  min_top_up: "minimum top-up",
  next: "what follows",
  onlyOrderId: "order it is tried on",
  perCustomer: "uses per customer",
  provider: "name",
  providerId: "provider",
  providerOrderId: "provider order ID",
  providerServiceId: "provider's service ID",
  provider_log_kept_days: "days that provider responses are kept",
  rate: "rate",
  refillDays: "refill days",
  refund: "refund of these orders",
  riseLimit: "limit of changes by night",
  roundTo: "rounding step",
  splitsComments: "splits comments at commas",
  starts: "valid from",
  suppressed: "why it was suppressed",
  terms_url: "terms of service",
  triedOn: "order it was tried on",
  uses: "total uses",
  webhook_deliveries_kept_days: "days that webhook deliveries are kept",
};
/** Fields in basis points. */
const PERCENT_FIELDS = new Set(["riseLimit", "margin", "basisPoints"]);
/** Fields with the id of a row that has a name. */
const NAMED_FIELDS: Record<string, string> = { providerId: "provider", assignsTo: "customer" };
/** Fields whose text is an amount. */
const AMOUNT_TEXTS = new Set(["min_top_up", "maxDiscount", "minCharge"]);
const LINK_CHECKS = {
  strict: "refuse links of another kind",
  warn: "ask before ordering on the web",
  off: "don't check",
};
/** By field, what its values are called. Values that are words already are left out. */
const VALUES: Record<string, Record<string, string>> = {
  audience: { everyone: "everyone", visitors: "people who aren't logged in", customers: "logged-in customers" },
  kind: {
    banner: "banner above every page",
    update: "entry on Updates",
    percent: "percent off every rate",
    fixed: "its own rates",
  },
  linkCheck: LINK_CHECKS,
  link_check: LINK_CHECKS,
  meaning: Object.fromEntries(MEANING_NAMES.map((name) => [name, MEANINGS[name].says])),
  next: {
    close: "close it",
    snooze_tomorrow: "snooze it until tomorrow",
    snooze_answer: "snooze it until the visitor answers",
  },
  suppressed: { complained: "reported as spam" },
};
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Fields with the end of a last day. */
const LAST_DAYS = new Set(["expiresAt", "ends"]);
const NONE = "none";

/** Fields of a provider that are called otherwise. */
const OF_PROVIDERS: Record<string, string> = { enabled: "sends orders there" };

/** Returns what a field of an action's subject is called: "minimum quantity". */
export function fieldLabel(name: string, action = ""): string {
  const known = (action.startsWith("provider.") ? ownValue(OF_PROVIDERS, name) : undefined) ?? ownValue(LABELS, name);
  if (known !== undefined) return known;
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
export function fieldText(name: string, value: unknown, formats: Formats, names: AuditNames): string {
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
  const known = typeof value === "string" ? ownValue(ownValue(VALUES, name), value) : undefined;
  if (known !== undefined) return known;
  if (Array.isArray(value)) return value.map((one) => fieldText(name, one, formats, names)).join(", ");
  if (typeof value === "object") return formats.number(Object.keys(value).length);
  return typeof value === "number" ? formats.number(value) : String(value);
}

/** Formats a time (ms) to the second in UTC. */
export function exactTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
