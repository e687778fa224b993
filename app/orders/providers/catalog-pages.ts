import { isSilent, nextPage, saysMore } from "./catalog-paging.ts";
import type { CatalogEntry, CatalogPage } from "./catalog-shapes.ts";
import type { Convention } from "./conventions/convention.ts";
import { identityOf, MAX_OFFERED } from "./provider-catalog.server.ts";

/** Most catalogs come whole. 50 pages of 100 services are as many as one is read in; the rest is missing then. */
export const MAX_CATALOG_CALLS = 50;
/** The night and people wait for a catalog no longer. */
const MAX_READING_MS = 60_000;

export type WholeCatalog = {
  entries: CatalogEntry[];
  /** False if services may be missing. */
  isComplete: boolean;
  /** Services that the provider says it has, if it does. */
  total: number | null;
  /** That of all rates, if the provider says it. */
  currency: string | null;
};

/**
 * Reads the pages that follow a catalog's first one. `ask` calls for a page and returns null if none came. An incomplete
 * catalog has what was read until then.
 */
export async function readAllPages(
  first: CatalogPage,
  ask: (parameters: Record<string, string>) => Promise<CatalogPage | null>,
  convention: Convention,
  now: () => number = Date.now,
): Promise<WholeCatalog> {
  const until = now() + MAX_READING_MS;
  const entries = [...first.entries];
  const seen = new Set(entries.map((entry) => identityOf(entry, convention)));
  const whole = (isComplete: boolean) => ({ entries, isComplete, total: first.paging.total, currency: first.currency });
  let page = first;
  for (let calls = 1; ; calls++) {
    const progress = { came: entries.length, first: first.entries.length, last: page.entries.length, calls };
    const parameters = nextPage(page.paging, progress, convention.catalog.paging);
    if (!parameters) return whole(true);
    if (calls >= MAX_CATALOG_CALLS || entries.length > MAX_OFFERED || now() > until) return whole(false);
    const next = await ask(parameters);
    if (!next) return whole(false);
    const added = next.entries.filter((entry) => !seen.has(identityOf(entry, convention)));
    // The same again, or nothing: the panel has no more pages, or doesn't page as it was asked.
    if (added.length === 0) return whole(isSilent(first.paging) || !saysMore(page.paging, progress));
    for (const entry of added) seen.add(identityOf(entry, convention));
    entries.push(...added);
    page = next;
  }
}
