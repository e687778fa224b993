/** 100 % in basis points, the unit of margins. */
export const WHOLE = 10_000;

/**
 * Returns what is left of a price after its cost, as a part of the price: 3,500 is 35 %. Rounded down, so that it never
 * shows more than there is; below 0 for a sale below cost. Null for a price of 0. Both are in the same unit.
 */
export function marginOf(price: number, cost: number): number | null {
  if (price <= 0) return null;
  const exact = BigInt(price - cost) * BigInt(WHOLE);
  const whole = exact / BigInt(price);
  return Number(exact < 0n && exact % BigInt(price) !== 0n ? whole - 1n : whole);
}

/** Returns the lowest price at which a cost leaves at least the margin, which is below 100 %. */
export function priceForMargin(cost: number, margin: number): number {
  return Number(divideUp(BigInt(cost) * BigInt(WHOLE), BigInt(WHOLE - margin)));
}

/** Returns a price that is raised or lowered by a part of itself, in basis points: 1,000 is 10 % more. Rounded up. */
export function priceChangedBy(price: number, part: number): number {
  return Number(divideUp(BigInt(price) * BigInt(WHOLE + part), BigInt(WHOLE)));
}

/** Returns the next multiple of `step` that is no less than the price: rounding never lowers a margin. */
export function roundedUpTo(price: number, step: number): number {
  return Number(divideUp(BigInt(price), BigInt(step)) * BigInt(step));
}

/** Parses a percentage like "35", "-5" or "12.5 %" to basis points. Returns null for anything else. */
export function parsePercent(text: string): number | null {
  const match = /^([+\-−]?)(\d{1,4})(?:\.(\d{1,2}))?\s*%?$/.exec(text.trim());
  if (!match) return null;
  const parts = Number(match[2]) * (WHOLE / 100) + Number((match[3] ?? "").padEnd(2, "0"));
  return match[1] === "-" || match[1] === "−" ? 0 - parts : parts;
}

/** Formats basis points: "35%", "-12.5%". */
export function percentText(parts: number): string {
  const [whole, rest] = [Math.floor(Math.abs(parts) / 100), Math.abs(parts) % 100];
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(2, "0").replace(/0$/, "")}`;
  return `${parts < 0 ? "-" : ""}${whole.toLocaleString("en-US")}${fraction}%`;
}

/** Formats basis points with one decimal, cut off, so that a column of shares lines up: "35.0%", "-12.5%". */
export function shareText(parts: number): string {
  const tenths = Math.trunc(parts / 10);
  const digits = (Math.abs(tenths) / 10).toLocaleString("en-US", { minimumFractionDigits: 1 });
  return `${parts < 0 ? "-" : ""}${digits}%`;
}

/** Divides what is not negative. */
function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** Returns whether a service on sale takes less than its provider does. */
export function sellsBelowCost(service: { enabled: boolean; rate: number; providerRate: number | null }): boolean {
  const { enabled, rate, providerRate } = service;
  return enabled && providerRate !== null && rate < providerRate;
}
