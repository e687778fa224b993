import type { CatalogEntry } from "./offers.server.ts";

export type Indexed = { entry: CatalogEntry; text: string };

/** Made once for a catalog, so that each typed letter only looks through ready text. */
export function indexCatalog(entries: CatalogEntry[]): Indexed[] {
  return entries.map((entry) => ({
    entry,
    text: ` ${entry.id} ${entry.network} ${entry.category} ${entry.name} `.toLowerCase(),
  }));
}

/** Those in which a word begins with each of the asked ones, in the catalog's order; a number finds its service first. */
export function search(
  indexed: Indexed[],
  asked: { words: string; network: string; category: string; only: ReadonlySet<number> | null },
): CatalogEntry[] {
  const words = asked.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = indexed.filter(
    ({ entry, text }) =>
      (asked.network === "" || entry.network === asked.network) &&
      (asked.category === "" || entry.category === asked.category) &&
      (asked.only === null || asked.only.has(entry.id)) &&
      words.every((word) => beginsAWord(text, word)),
  );
  const entries = found.map(({ entry }) => entry);
  const exact = entries.findIndex(({ id }) => String(id) === asked.words.trim());
  return exact > 0 ? [...entries.slice(exact, exact + 1), ...entries.filter((_, at) => at !== exact)] : entries;
}

function beginsAWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[a-z0-9]/.test(text[at - 1] ?? " ") || !/[a-z0-9]/.test(word[0] ?? "")) return true;
  }
  return false;
}
