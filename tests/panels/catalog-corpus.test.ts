import { expect, test } from "vitest";
import { readAllPages } from "#app/orders/providers/catalog-pages.ts";
import { readCatalogPage } from "#app/orders/providers/catalog-shapes.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readEntries } from "#app/orders/providers/provider-catalog.server.ts";
import { CATALOG_CASES, type CatalogCase, pagesOf, wasSeen } from "./catalog-cases.ts";

/** In percent. What is wrong must not be a price. */
const NEEDED = 97;

test("reads the catalogs of real panels as a person does, and no price wrong", async () => {
  const verdicts = (await Promise.all(CATALOG_CASES.map(([name, one]) => judge(name, one)))).flat();
  const wrong = verdicts.filter(({ isRight }) => !isRight);
  const said = wrong.map(({ where, expected, read }) => `${where}: ${expected} expected, ${read} read`).join("\n");
  expect(wrong.filter(({ isMoney }) => isMoney).length, said).toBe(0);
  expect(((verdicts.length - wrong.length) / verdicts.length) * 100, said).toBeGreaterThanOrEqual(NEEDED);
});

test("has at least 26 catalogs of sources and public documents", () => {
  const real = CATALOG_CASES.filter(([, one]) => wasSeen(one));
  expect(real.length).toBeGreaterThanOrEqual(26);
});

type Verdict = { where: string; expected: string; read: string; isRight: boolean; isMoney: boolean };

async function judge(name: string, one: CatalogCase): Promise<Verdict[]> {
  const pages = pagesOf(one);
  const first = readCatalogPage(pages[0], PANEL_API_V2);
  if (!one.services) return [verdict(name, "no catalog", first ? "a catalog" : "no catalog", false)];
  if (!first) return Object.keys(one.services).map((id) => verdict(`${name} ${id}`, "a service", "no catalog", false));
  let page = 0;
  const whole = await readAllPages(first, async () => readCatalogPage(pages[++page], PANEL_API_V2), PANEL_API_V2);
  const { services, unreadable } = readEntries(whole.entries, whole.currency, PANEL_API_V2);
  const byId = new Map(services.map((service) => [service.providerServiceId, service]));
  const reasons = new Map(unreadable.map(({ id, reason }) => [id, reason]));
  return [
    ...Object.entries(one.services).map(([id, expected]) => {
      const read = byId.get(id);
      const named =
        read && Object.fromEntries(Object.keys(expected).map((key) => [key, read[key as keyof typeof read]]));
      const isMoney = read !== undefined && (read.rate !== expected.rate || read.type !== expected.type);
      return verdict(`${name} ${id}`, JSON.stringify(expected), JSON.stringify(named ?? reasons.get(id)), isMoney);
    }),
    ...Object.entries(one.unreadable ?? {}).map(([id, expected]) =>
      verdict(`${name} ${id}`, expected, reasons.get(id) ?? JSON.stringify(byId.get(id) ?? null), byId.has(id)),
    ),
    ...(one.isComplete === undefined
      ? []
      : [verdict(`${name} whole`, String(one.isComplete), String(whole.isComplete), false)]),
    verdict(
      `${name} all`,
      String(countOf(one.services) + countOf(one.unreadable)),
      String(byId.size + reasons.size),
      false,
    ),
  ];
}

function verdict(where: string, expected: string, read: string, isMoney: boolean): Verdict {
  return { where, expected, read, isRight: expected === read, isMoney };
}

function countOf(record: object | undefined): number {
  return Object.keys(record ?? {}).length;
}
