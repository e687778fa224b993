import { ORDER_TYPES, type OrderType } from "#app/db/schema.server.ts";
import { readCatalogPage } from "#app/orders/providers/catalog-shapes.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readServiceType } from "#app/orders/providers/conventions/service-types.ts";
import { memberOf, membersOf } from "#app/orders/providers/reading/members.ts";
import { wordKey } from "#app/orders/providers/reading/reader.ts";
import { fieldsOfType } from "#app/orders/rules/order-input.ts";
import { CATALOG_CASES, pagesOf, wasSeen } from "./catalog-cases.ts";

const { types, service } = PANEL_API_V2.catalog;

/** Returns the section on types of services: what an order of each has, and the words for it with the catalogs that have them. */
export function serviceTypesSection(): string[] {
  const seen = catalogsByWord();
  const told = (words: string[]) =>
    words
      .toSorted((one, other) => (seen.get(other) ?? 0) - (seen.get(one) ?? 0))
      .map((word) => (seen.has(word) ? `${word} (${seen.get(word)})` : word))
      .join(", ");
  const unknown = [...seen.keys()].filter((word) => readServiceType(word, types) === null);
  return [
    "## Types of services",
    "",
    "Case, blanks and other signs don't count here either. A service without a type is a default one, unless its maximum is 1; a",
    "word that isn't listed offers no service. In brackets is how many of the catalogs in `tests/panels/catalogs/` that were",
    `seen have the word, of ${CATALOG_CASES.filter(([, one]) => wasSeen(one)).length}. A word without a number stands in none of them.`,
    "",
    "| our type | an order has | words |",
    "| --- | --- | --- |",
    ...ORDER_TYPES.map((type) => `| ${type} | ${partsOf(type)} | ${told(wordsFor(type))} |`),
    `| none: not offered | | ${told(unknown)} |`,
  ];
}

function wordsFor(type: OrderType): string[] {
  return Object.keys(types).filter((word) => types[word] === type);
}

function partsOf(type: OrderType): string {
  const { link, quantity, runs, needs } = fieldsOfType(type);
  const fields = needs.map(({ name, optional }) => (optional ? `${name}?` : name));
  return [link && "link", quantity && "quantity", runs && "runs?, interval?", ...fields].filter(Boolean).join(", ");
}

/** Returns in how many of the catalogs that were seen each word for a type stands. */
function catalogsByWord(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, one] of CATALOG_CASES) {
    if (!wasSeen(one)) continue;
    const entries = pagesOf(one).flatMap((page) => readCatalogPage(page, PANEL_API_V2)?.entries ?? []);
    const words = entries.map(({ entry }) => memberOf(membersOf(entry), service.type));
    for (const word of new Set(words.map((said) => (typeof said === "string" ? wordKey(said) : "")))) {
      if (word !== "") counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}
