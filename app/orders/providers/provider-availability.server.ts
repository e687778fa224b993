import type { Db } from "#app/db/db.server.ts";
import { providers } from "#app/db/schema.server.ts";
import { needsProbe, type Provider } from "./provider-link.server.ts";

type State = Pick<Provider, "enabled" | "failures" | "pausedFor">;

/** Reads the numbers of enabled providers, and of those that get no orders. */
export async function readProviderAvailability(db: Db) {
  const { enabled, failures, pausedFor } = providers;
  return providerAvailability(await db.select({ enabled, failures, pausedFor }).from(providers));
}

/** Returns the numbers of enabled providers, and of those that get no orders: they don't answer, or refuse all. */
export function providerAvailability(all: State[]): { enabled: number; unavailable: number } {
  const enabled = all.filter((provider) => provider.enabled);
  const unavailable = enabled.filter((provider) => provider.pausedFor !== null || needsProbe(provider));
  return { enabled: enabled.length, unavailable: unavailable.length };
}
