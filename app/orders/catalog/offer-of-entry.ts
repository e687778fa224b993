import type { Catalog, CatalogEntry, ChosenOffer } from "./offers.server.ts";

/** What the form can show of a service at once, until the server has told the rest: description and time. */
export function offerOfEntry(entry: CatalogEntry, types: Catalog["types"]): ChosenOffer {
  const { runs, ...form } = types[entry.type];
  return { ...entry, description: "", ...form, asksRuns: runs && entry.dripfeed, averageMs: null, completed: 0 };
}
