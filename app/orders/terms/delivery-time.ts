import { type DeliveryTimes, WINDOW_DAYS } from "./delivery-estimate.ts";

const UNITS: [name: string, ms: number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Formats milliseconds in up to two units: "3 hours 20 minutes", "2 days", "under a second". */
export function durationText(ms: number): string {
  const at = UNITS.findIndex(([, size]) => ms >= size);
  if (at === -1) return "under a second";
  const [name, size] = UNITS[at] ?? ["second", 1000];
  const [smaller, smallerSize] = UNITS[at + 1] ?? [null, 1];
  const count = Math.floor(ms / size);
  const rest = smaller === null ? 0 : Math.floor((ms % size) / smallerSize);
  // Past three of the larger unit, the smaller one is noise.
  return count >= 4 || rest === 0 ? counted(count, name) : `${counted(count, name)} ${counted(rest, smaller ?? "")}`;
}

/** Returns the delivery times of a service in words. Null: too few orders. */
export function deliveryText(times: DeliveryTimes | null): string {
  if (times === null) return "Delivery time: not enough orders yet";
  const { p50Ms, p90Ms } = times;
  if (p50Ms === null) return "Delivery time: not known, most of the latest orders are still open";
  const half = `Half of orders are done in ${durationText(p50Ms)}`;
  return p90Ms === null ? `${half}. The slow ones are still open` : `${half}, 9 of 10 in ${durationText(p90Ms)}`;
}

/** Returns what `deliveryText` rests on: "From 124 orders of the last 30 days, 2% partial, 1% canceled". */
export function sampleText(times: DeliveryTimes, number: (value: number) => string): string {
  const rates = ratesOf(times);
  const shown = (["partial", "canceled"] as const).filter((name) => rates[name] > 0);
  const parts = shown.map((name) => `${percentText(rates[name])} ${name}`);
  return [`From ${number(samplesOf(times))} orders of the last ${WINDOW_DAYS} days`, ...parts].join(", ");
}

/** Returns a service's time for a list: "9 of 10 in 2 days". Null if there is nothing to say. */
export function shortDeliveryText(times: DeliveryTimes | null): string | null {
  if (!times) return null;
  if (times.p90Ms !== null) return `9 of 10 in ${durationText(times.p90Ms)}`;
  return times.p50Ms === null ? null : `half in ${durationText(times.p50Ms)}`;
}

/** Returns how many orders the times rest on. Open ones count until their age. */
export function samplesOf({ completed, partial, canceled, open }: DeliveryTimes): number {
  return completed + partial + canceled + open;
}

/** Returns the shares of the ended orders that ended early. */
export function ratesOf({ completed, partial, canceled }: DeliveryTimes): { partial: number; canceled: number } {
  const ended = completed + partial + canceled;
  return { partial: partial / ended, canceled: canceled / ended };
}

function percentText(share: number): string {
  const percent = share * 100;
  return percent < 1 ? "under 1%" : `${Math.round(percent)}%`;
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
