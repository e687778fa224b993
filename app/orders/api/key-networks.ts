import type { KeyNetwork } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";

/** Networks that are remembered per key. The oldest is forgotten first. */
export const MAX_NETWORKS = 50;
/** New networks that are recorded per key and day, so that a key used from everywhere cannot fill the activity list. */
export const MAX_NEW_PER_DAY = 10;

/** Returns the networks with a new one in front, or null if it is known or too many were new within a day. */
export function withNetwork(known: readonly KeyNetwork[], network: string, now: number): KeyNetwork[] | null {
  if (known.some((entry) => entry.network === network)) return null;
  if (known.filter(({ at }) => at > now - DAY_MS).length >= MAX_NEW_PER_DAY) return null;
  return [{ network, at: now }, ...known].slice(0, MAX_NETWORKS);
}
