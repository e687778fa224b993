import type { Catalog, CatalogEntry, ChosenOffer } from "./offers.server.ts";

/** Returns what the form can show before the service's description and what it takes are loaded. */
export function offerOfEntry(entry: CatalogEntry, types: Catalog["types"]): ChosenOffer {
  const { runs, ...form } = types[entry.type];
  return { ...entry, description: "", ...form, asksRuns: runs && entry.dripfeed, takes: null, splitsComments: false };
}
