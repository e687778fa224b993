import { type DeliveryTimes, WINDOW_DAYS } from "./delivery-estimate.ts";

type Unit = { name: string; short: string; ms: number };

const UNITS: Unit[] = [
  { name: "day", short: "d", ms: 86_400_000 },
  { name: "hour", short: "h", ms: 3_600_000 },
  { name: "minute", short: "min", ms: 60_000 },
  { name: "second", short: "s", ms: 1000 },
];

/** Formats milliseconds in up to two units: "3 hours 20 minutes", "2 days", "under a second". */
export function durationText(ms: number): string {
  return inUnits(ms, (count, { name }) => `${count} ${name}${count === 1 ? "" : "s"}`, " ") ?? "under a second";
}

/** Formats milliseconds for lists, never broken over two lines: "3 h 20 min", "2 d", "under 1 s". */
export function shortDurationText(ms: number): string {
  const space = "\u00A0";
  return inUnits(ms, (count, { short }) => count + space + short, space) ?? `under 1${space}s`;
}

/** Writes milliseconds in up to two units. Returns null for less than the smallest. */
function inUnits(ms: number, write: (count: number, unit: Unit) => string, between: string): string | null {
  const at = UNITS.findIndex((unit) => ms >= unit.ms);
  const [unit, smaller] = UNITS.slice(at);
  if (at === -1 || !unit) return null;
  const count = Math.floor(ms / unit.ms);
  const rest = smaller ? Math.floor((ms % unit.ms) / smaller.ms) : 0;
  // Past three of the larger unit, the smaller one is noise.
  const isExact = !smaller || count >= 4 || rest === 0;
  return isExact ? write(count, unit) : write(count, unit) + between + write(rest, smaller);
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
  return [`From ${number(samplesOf(times))} orders of the last ${WINDOW_DAYS} days`, ...rateTexts(times)].join(", ");
}

/** Returns both for a list: "Half in 2 h, 9 of 10 in 5 h (124 orders, 2% partial)". Null: too few orders. */
export function shortDeliveryText(times: DeliveryTimes | null, number: (value: number) => string): string | null {
  if (!times) return null;
  const { p50Ms, p90Ms } = times;
  const half = p50Ms === null ? "Delivery time not known" : `Half in ${shortDurationText(p50Ms)}`;
  const most = p90Ms === null ? "" : `, 9 of 10 in ${shortDurationText(p90Ms)}`;
  return `${half}${most} (${[`${number(samplesOf(times))} orders`, ...rateTexts(times)].join(", ")})`;
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

function rateTexts(times: DeliveryTimes): string[] {
  const rates = ratesOf(times);
  const shown = (["partial", "canceled"] as const).filter((name) => rates[name] > 0);
  return shown.map((name) => `${percentText(rates[name])} ${name}`);
}

function percentText(share: number): string {
  const percent = share * 100;
  return percent < 1 ? "under 1%" : `${Math.round(percent)}%`;
}
