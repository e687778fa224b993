import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OfferedService } from "#app/orders/providers/provider-catalog.server.ts";

/** A catalog as a panel writes it, with the verdict that a person gave on each of its entries before it was read. */
export type CatalogCase = {
  /** Where it was seen: the kind of program or document and its date. Values are rewritten. */
  source: string;
  services?: Record<string, Partial<OfferedService>>;
  /** Reasons by id. */
  unreadable?: Record<string, string>;
  isComplete?: boolean;
} & ({ answer: unknown } | { pages: unknown[] });

const folder = join(import.meta.dirname, "catalogs");

export const CATALOG_CASES = readdirSync(folder)
  .toSorted()
  .map((name): [string, CatalogCase] => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]);

/** Returns whether it was seen in a program, a document or a client, and not made from a shape. */
export function wasSeen({ source }: CatalogCase): boolean {
  return /^(?:Source|Public API docs|README|Client)\b/.test(source);
}

export function pagesOf(one: CatalogCase): unknown[] {
  return "pages" in one ? one.pages : [one.answer];
}
