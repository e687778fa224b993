import { decimal } from "./money-text.ts";

/** Fields of audit entries in micro-units. */
export const AUDIT_MONEY_FIELDS = new Set(["amount", "rate", "charge", "roundTo", "minimum", "refund"]);
/** Fields of audit entries in ms since 1970. */
export const AUDIT_TIME_FIELDS = new Set(["expiresAt", "until"]);

/** Returns an audit entry's detail with decimal amounts and ISO 8601 times, also in pairs of [before, after]. */
export function readableDetail(detail: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((one) => readable(name, one)) : readable(name, value),
    ]),
  );
}

function readable(name: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  if (AUDIT_MONEY_FIELDS.has(name)) return decimal(value, 2);
  return AUDIT_TIME_FIELDS.has(name) ? new Date(value).toISOString() : value;
}
