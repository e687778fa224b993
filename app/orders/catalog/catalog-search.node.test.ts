import { expect, test } from "vitest";
import { indexCatalog, search } from "./catalog-search.ts";
import type { CatalogEntry } from "./offers.server.ts";

const flags = { dripfeed: false, refill: false, cancel: false };
const links = { linkKind: "any" as const, linkCheck: "off" as const };
const limits = { type: "Default" as const, rate: 1, min: 1, max: 10 };
const terms = { ...limits, ...flags, ...links, refillDays: null, times: null };
const entries: CatalogEntry[] = [
  { id: 7, network: "Instagram", category: "Instagram Likes", name: "Instagram likes (real)", ...terms },
  { id: 12, network: "TikTok", category: "TikTok Likes", name: "TikTok likes 30-day", ...terms },
  { id: 3, network: "TikTok", category: "TikTok Views", name: "TikTok views 12h", ...terms },
];
const NO_FILTERS = { network: "", category: "", only: null };

function find(words: string, filters: Partial<Parameters<typeof search>[1]> = {}) {
  return search(indexCatalog(entries), { ...NO_FILTERS, ...filters, words }).map(({ id }) => id);
}

test("finds services by the starts of their words, in any order and case", () => {
  expect(find("")).toEqual([7, 12, 3]);
  expect(find("LIKES tik")).toEqual([12]);
  expect(find("real insta")).toEqual([7]);
  expect(find("ikes")).toEqual([]);
});

test("puts the service with that ID first", () => {
  expect(find("3")).toEqual([3, 12]);
  expect(find("12")).toEqual([12, 3]);
});

test("filters by network, category and favorites", () => {
  expect(find("", { network: "TikTok" })).toEqual([12, 3]);
  expect(find("", { network: "TikTok", category: "TikTok Views" })).toEqual([3]);
  expect(find("likes", { only: new Set([7]) })).toEqual([7]);
});
