/** Approximate number of recent orders that a service's average delivery time covers. */
export const AVERAGED_ORDERS = 50;

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

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
