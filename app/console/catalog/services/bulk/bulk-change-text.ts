import { formatsOf } from "#app/components/formats/number-formats.ts";
import { percentText } from "#app/orders/rules/margin.ts";
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

/** Why services stay as they are, after their number. */
export const LEFT_TEXTS: Record<Left, string> = {
  same: "already as you want",
  no_cost: "without a provider rate, so no margin is known",
  too_high: "above the highest rate allowed",
  changed_since: "changed since",
  waits: "waiting for a decision in quarantine about their provider's change",
};

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
