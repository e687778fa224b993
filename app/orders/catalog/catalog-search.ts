import type { CatalogEntry } from "./offers.server.ts";

type Searched = Pick<CatalogEntry, "id" | "network" | "category" | "name">;
export type Indexed<Entry extends Searched = CatalogEntry> = { entry: Entry; text: string };

/** Prepares the text of each service once, so that each typed letter only searches it. */
export function indexCatalog<Entry extends Searched>(entries: Entry[]): Indexed<Entry>[] {
  return entries.map((entry) => ({
    entry,
    text: ` ${entry.id} ${entry.network} ${entry.category} ${entry.name} `.toLowerCase(),
  }));
}

/** Returns services with every searched word at the start of a word, in catalog order. A searched ID comes first. */
export function search<Entry extends Searched>(
  indexed: Indexed<Entry>[],
  query: { words: string; network: string; category: string; only: ReadonlySet<number> | null },
): Entry[] {
  const words = query.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = indexed.filter(
    ({ entry, text }) =>
      (query.network === "" || entry.network === query.network) &&
      (query.category === "" || entry.category === query.category) &&
      (query.only === null || query.only.has(entry.id)) &&
      words.every((word) => startsAWord(text, word)),
  );
  const entries = found.map(({ entry }) => entry);
  const exact = entries.findIndex(({ id }) => String(id) === query.words.trim());
  return exact > 0 ? [...entries.slice(exact, exact + 1), ...entries.filter((_, at) => at !== exact)] : entries;
}

function startsAWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[a-z0-9]/.test(text[at - 1] ?? " ") || !/[a-z0-9]/.test(word[0] ?? "")) return true;
  }
  return false;
}
