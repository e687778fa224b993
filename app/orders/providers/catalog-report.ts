import { cutText } from "#app/cut-text.ts";
import type { OfferedTerms } from "#app/db/schema.server.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import type { KnownService } from "./catalog-judgment.ts";
import { type UnreadableEntry, whyUnreadable } from "./unreadable-entry.ts";

/** A report is kept for 180 days, and each night adds to it. */
const MAX_REPORTED_RAW = 120;

/** Returns the line about an entry that can't be read: why, and how the entry begins. */
export function unreadableChange(entry: UnreadableEntry) {
  const after = cutText(entry.raw, MAX_REPORTED_RAW);
  return { providerServiceId: entry.id, kind: "unreadable", before: whyUnreadable(entry), after } as const;
}

/** Returns what differs between our terms and others, as the report of an import lists it. Rates are the provider's. */
export function changesOf(
  ours: KnownService,
  terms: Omit<OfferedTerms, "category">,
): { providerServiceId: string; kind: "price" | "limits" | "type"; before: string; after: string }[] {
  const { providerServiceId } = ours;
  const add = (kind: "price" | "limits" | "type", before: string, after: string) =>
    before === after ? [] : [{ providerServiceId, kind, before, after }];
  return [
    ...add("price", ours.providerRate === null ? "" : decimal(ours.providerRate, 2), decimal(terms.rate, 2)),
    ...add("limits", limitsText(ours), limitsText(terms)),
    ...add("type", ours.type, terms.type),
  ];
}

/** Formats the quantities that a service takes: "10 to 100,000". */
export function limitsText({ min, max }: { min: number; max: number }): string {
  return `${min.toLocaleString("en-US")} to ${max.toLocaleString("en-US")}`;
}
