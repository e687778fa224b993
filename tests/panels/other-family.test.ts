import { expect, test } from "vitest";
import { readAllPages } from "#app/orders/providers/catalog-pages.ts";
import { readCatalogPage } from "#app/orders/providers/catalog-shapes.ts";
import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readEntries } from "#app/orders/providers/provider-catalog.server.ts";
import { errorOf } from "#app/orders/providers/reading/error-texts.ts";
import { BAZAAR } from "./made-up-convention.ts";

test("reads an error where its family explains one, and nowhere else", () => {
  const explained = (name: string, text: unknown) => ({ nod: "nay", [name]: text });
  expect(errorOf(explained("chest", "The lane has no such door"), BAZAAR)).toBe("The lane has no such door");
  expect(errorOf({ chest: { complaint: "No such door" } }, BAZAAR)).toBe("No such door");
  for (const name of ["data", "result", "message", "error"]) {
    expect(errorOf(explained(name, "The lane has no such door"), BAZAAR), name).toBeNull();
    expect(errorOf({ [name]: { complaint: "No such door" } }, BAZAAR), name).toBeNull();
  }
  const about = (name: string) => ({ complaint: [{ remark: "is missing", [name]: "door" }] });
  expect(errorOf(about("field"), BAZAAR)).toBe("is missing");
  expect(errorOf(about("part"), { ...BAZAAR, members: { ...BAZAAR.members, field: ["part"] } })).toBe(
    "door: is missing",
  );
});

const goods = (from: number) =>
  Array.from({ length: 2 }, (_, n) => ({
    ...{ good: `L${from + n}`, called: { called: "Likes" }, aisle: "Lanterns", sort: "loose" },
    ...{ toll_for_a_thousand: "0.50", fewest: 1, most: 100 },
  }));

/** Reads a catalog of a family. Returns the ids of its services and the calls after the first. */
async function readPages(convention: Convention, pages: unknown[]) {
  const calls: unknown[] = [];
  const first = readCatalogPage(pages[0], convention);
  if (!first) throw new Error("the first answer is no catalog");
  const ask = async (parameters: Record<string, string>) => {
    calls.push(parameters);
    return readCatalogPage(pages[calls.length], convention);
  };
  const whole = await readAllPages(first, ask, convention);
  const { services } = readEntries(whole.entries, whole.currency, convention);
  return { named: services.map(({ providerServiceId, name }) => `${providerServiceId} ${name}`), calls };
}

test("reads the pages of a catalog by the names of its family, and asks for the next one by them", async () => {
  const page = (sheet: number) => ({ stall: goods(sheet * 2), ledger: { sheet, sheets: 2, per_sheet: 2 } });
  expect(await readPages(BAZAAR, [page(1), page(2)])).toEqual({
    named: ["L2 Likes", "L3 Likes", "L4 Likes", "L5 Likes"],
    calls: [{ sheet: "2", "per-sheet": "2" }],
  });
  const next = { stall: goods(1), next_sheet: "https://bazaar.example/goods?sheet=2&door=7" };
  expect((await readPages(BAZAAR, [next, { stall: goods(3) }])).calls).toEqual([{ "per-sheet": "2", sheet: "2" }]);
  const foreign = { stall: goods(1), meta: { page: 1, last_page: 2, total: 4 }, next_page: 2 };
  expect((await readPages(BAZAAR, [foreign])).calls).toEqual([]);
});

test("shares no member with the family of most panels, so that each name is read from the value", () => {
  const names = ({ members, catalog }: Convention) => Object.values({ ...members, ...catalog.service }).flat();
  expect(names(BAZAAR).filter((name) => names(PANEL_API_V2).includes(name))).toEqual([]);
});
