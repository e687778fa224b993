import type { Formats } from "#app/components/formats/number-formats.ts";
import type { ShownService } from "#app/db/schema.server.ts";

/** Meaning of a change for customers. */
export type ChangeKind = "added" | "changed" | "removed";

type States = { before: ShownService | null; after: ShownService | null };

export function kindOfChange({ before, after }: States): ChangeKind {
  if (before === null) return "added";
  return after === null ? "removed" : "changed";
}

/** Returns the difference of the rates in micro-units, or null if there is none, or the rates aren't for the same. */
export function priceChange({ before, after }: States): number | null {
  if (before === null || after === null || before.rate === after.rate || before.type !== after.type) return null;
  return after.rate - before.rate;
}

/** Returns what a changed service has otherwise than before, as short sentences. */
export function changedTerms({ before, after }: States, { exactMoney, number }: Formats): string[] {
  if (before === null || after === null) return [];
  const limits = ({ min, max }: ShownService) => `${number(min)}–${number(max)}`;
  const days = ({ refill_days }: ShownService) => refill_days ?? "no limit";
  const yesNo = (value: number) => (value === 1 ? "yes" : "no");
  const flags = [
    ["Refill", before.refill, after.refill],
    ["Cancelable", before.cancel, after.cancel],
    ["Drip-feed", before.dripfeed, after.dripfeed],
  ] as const;
  return [
    ...(before.rate === after.rate ? [] : [`Price ${exactMoney(before.rate)} → ${exactMoney(after.rate)}`]),
    ...(limits(before) === limits(after) ? [] : [`Quantity ${limits(before)} → ${limits(after)}`]),
    ...flags.flatMap(([label, was, is]) => (was === is ? [] : [`${label}: ${yesNo(was)} → ${yesNo(is)}`])),
    ...(before.refill_days === after.refill_days ? [] : [`Refill days: ${days(before)} → ${days(after)}`]),
    ...(before.type === after.type ? [] : [`Type ${before.type} → ${after.type}`]),
    ...(before.name === after.name ? [] : [`Name before: ${before.name}`]),
    ...(before.category === after.category ? [] : [`Category before: ${before.category}`]),
  ];
}

/** Returns one change of a service from several in order, or null if nothing is left of them. */
export function mergeChanges<Change extends States>(changes: Change[]): Change | null {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return null;
  const merged = { ...last, before: first.before };
  return JSON.stringify(merged.before) === JSON.stringify(merged.after) ? null : merged;
}
