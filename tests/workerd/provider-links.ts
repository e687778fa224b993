import { env } from "cloudflare:workers";
import type { Db } from "#app/db/db.server.ts";
import { type LinkMemory, type Provider, ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { db } from "./customer.ts";
import { readProvider } from "./place-orders.ts";

/** Returns a link to a provider with the settings of this row, over the tests' database or another one. */
export function linkTo(provider: Provider, over: Db = db, memory?: LinkMemory): ProviderLink {
  return new ProviderLink(over, env, provider, memory);
}

/** Returns a link to a provider with its settings of this moment. */
export async function linkAt(providerId: number, over: Db = db): Promise<ProviderLink> {
  return linkTo(await readProvider(providerId), over);
}
