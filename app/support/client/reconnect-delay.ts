/** Delay by number of failed attempts; the last one repeats. */
const RECONNECT_MS = [1000, 2000, 5000, 10_000] as const;
/** Spreads the delay by ±15 %: a server restart disconnects every client at once. */
const JITTER = 0.3;

/** Returns the ms to wait before reconnecting. `random` in [0, 1). */
export function reconnectDelay(failures: number, random: number): number {
  const base = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? RECONNECT_MS[0];
  return Math.round(base * (1 + JITTER * (random - 0.5)));
}
