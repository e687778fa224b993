import type { Random } from "#tests/faults/seeded-random.ts";
import { DIALECT_NAMES, type DialectName } from "../world/outside/provider-dialects.ts";
import type { PlaceEvent } from "./plan-orders.ts";
import type { Profile } from "./profiles.ts";
import { HOUR, MINUTE } from "./simulated-durations.ts";

/** A way in which a provider treats every call for a time. */
export type ProviderMode =
  | "dead"
  /** Up for a few seconds, then down for as many. */
  | "flapping"
  | "busy"
  | "maintenance"
  | "slow"
  | "hanging"
  | "failing"
  | "redirecting"
  | "endless"
  | "compressed"
  | "no_funds"
  | "bad_key";
export type ProviderPlan = {
  modes: { from: number; to: number; mode: ProviderMode }[];
  /** How it spells its answers. Without it, as most panels document it. */
  dialect?: DialectName;
};

const MODES: ProviderMode[] = [
  "dead",
  "flapping",
  "flapping",
  "busy",
  "maintenance",
  "slow",
  "hanging",
  "failing",
  "redirecting",
  "endless",
  "compressed",
  "no_funds",
  "bad_key",
];
/** A hanging call takes real time, up to the product's timeout. */
const HANGS_AT_MOST = 2 * MINUTE;

/** Most modes begin shortly before an order of the provider, of which there are more in a burst. */
export function planProviders(random: Random, profile: Profile, orders: PlaceEvent[]): ProviderPlan[] {
  return Array.from({ length: profile.providers }, (_, provider) => {
    const times = orders.filter((order) => order.provider === provider).map(({ at }) => at);
    const dialect = DIALECT_NAMES[provider % DIALECT_NAMES.length];
    return { ...planProvider(random, profile, times), ...(profile.hasDialects && dialect && { dialect }) };
  });
}

function planProvider(random: Random, { durationMs, modesPerProvider }: Profile, orderTimes: number[]): ProviderPlan {
  const modes = Array.from({ length: random.upTo(modesPerProvider + 1) }, () => {
    const meetsOrder = orderTimes.length > 0 && random.chance(0.7);
    const from = meetsOrder ? random.pick(orderTimes) - MINUTE - random.upTo(MINUTE) : random.upTo(durationMs);
    const mode = random.pick(MODES);
    const length = mode === "hanging" ? random.upTo(HANGS_AT_MOST) : MINUTE + random.upTo(HOUR);
    return { from, to: from + length, mode };
  });
  return { modes };
}
