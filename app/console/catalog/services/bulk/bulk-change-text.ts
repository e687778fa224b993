import { formatsOf } from "#app/components/formats/number-formats.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { REFUSALS } from "#app/orders/services/service-guard.ts";
import type { BulkChange, Left } from "./bulk-change.ts";

/** The changes that staff choose from, by their name in a URL. */
export const BULK_KINDS = ["price", "margin", "round", "category", "on", "off"] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

export const BULK_KIND_NAMES: Record<BulkKind, string> = {
  price: "Change price",
  margin: "Set margin",
  round: "Round up",
  category: "Move",
  on: "Put on sale",
  off: "Take off sale",
};

/** Says why services stay as they are, after their number. */
export function leftText(why: Left): string {
  switch (why) {
    case "same":
      return "already as you want";
    case "no_cost":
      return "without a provider rate, so no margin is known";
    case "changed_since":
      return "changed since";
    default:
      return REFUSALS[why].why;
  }
}

/** Says what a change does, for the audit log: "Price +10%, rounded up to $0.05". */
export function bulkChangeText(change: BulkChange): string {
  switch (change.kind) {
    case "price":
      return `Price ${change.part > 0 ? "+" : ""}${percentText(change.part)}${rounding(change.step)}`;
    case "margin":
      return `Margin ${percentText(change.margin)}${rounding(change.step)}`;
    case "round":
      return `Rates rounded up to ${amount(change.step)}`;
    case "category":
      return `Moved to ${change.category}`;
    case "sale":
      return change.enabled ? "Put on sale" : "Taken off sale";
    default:
      return change satisfies never;
  }
}

function rounding(step: number | null): string {
  return step === null ? "" : `, rounded up to ${amount(step)}`;
}

function amount(micro: number): string {
  return formatsOf("en-US").exactMoney(micro);
}
