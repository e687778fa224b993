import { expect, test } from "vitest";
import { MAX_CATALOG_CALLS, readAllPages } from "./catalog-pages.ts";
import { readCatalogPage } from "./catalog-shapes.ts";
import { PANEL_API_V2 } from "./conventions/panel-api-v2.ts";

type Parameters = Record<string, string>;

const services = (count: number, from = 1) =>
  Array.from({ length: count }, (_, n) => ({ service: from + n, name: "Likes", rate: "1", min: 1, max: 10 }));

/** Reads a catalog from a panel that answers so. Returns what came and the calls after the first. */
async function read(answer: (parameters: Parameters) => unknown, now?: () => number) {
  const calls: Parameters[] = [];
  const first = readCatalogPage(answer({}), PANEL_API_V2);
  if (!first) throw new Error("the first answer is no catalog");
  const { entries, isComplete, total } = await readAllPages(
    first,
    async (parameters) => {
      calls.push(parameters);
      return readCatalogPage(answer(parameters), PANEL_API_V2);
    },
    PANEL_API_V2,
    now,
  );
  return { count: entries.length, isComplete, total, calls };
}

test("takes a list of any other length than a page's for the whole catalog", async () => {
  for (const count of [1, 49, 99, 101, 2000]) {
    expect(await read(() => services(count))).toMatchObject({ count, isComplete: true, calls: [] });
  }
});

test("asks once more after a list of a page's length, and takes the same again for the end", async () => {
  const { calls, ...came } = await read(() => services(100));
  expect(came).toEqual({ count: 100, isComplete: true, total: null });
  expect(calls).toEqual([{ page: "2", offset: "100", limit: "100", per_page: "100" }]);
});

test("reads a panel on that lists 100 services a call by page, and one that lists 500 by offset", async () => {
  const all = services(1234);
  const byPage = await read(({ page = "1" }) => all.slice((Number(page) - 1) * 100, Number(page) * 100));
  expect([byPage.count, byPage.isComplete, byPage.calls.length]).toEqual([1234, true, 12]);
  const byOffset = await read(({ offset = "0" }) => all.slice(Number(offset), Number(offset) + 500));
  expect([byOffset.count, byOffset.isComplete, byOffset.calls.length]).toEqual([1234, true, 2]);
  const exact = await read(({ page = "1" }) => services(200).slice((Number(page) - 1) * 100, Number(page) * 100));
  expect([exact.count, exact.isComplete]).toEqual([200, true]);
});

test.each([
  ["Laravel", (page: number) => ({ current_page: page, last_page: 3, total: 25, next_page_url: `x?page=${page + 1}` })],
  ["its meta", (page: number) => ({ meta: { current_page: page, last_page: 3, per_page: 10 }, links: {} })],
  ["has_more", (page: number) => ({ pagination: { page, limit: 10, has_more: page < 3 } })],
  ["next_page", (page: number) => ({ next_page: page < 3 ? page + 1 : null })],
  ["texts", (page: number) => ({ page: String(page), total_pages: "3" })],
])("follows the pages of %s", async (_, paging) => {
  const all = services(25);
  const answer = ({ page = "1" }: Parameters) => ({
    data: all.slice((Number(page) - 1) * 10, Number(page) * 10),
    ...paging(Number(page)),
  });
  expect(await read(answer)).toMatchObject({ count: 25, isComplete: true, calls: [{ page: "2" }, { page: "3" }] });
});

test("never calls the URL of a next page, and sends none of its other parameters", async () => {
  const answer = ({ page = "1" }: Parameters) => ({
    services: services(10, Number(page) * 10),
    next: page === "1" ? "https://elsewhere.example/steal?page=2&key=x&action=add" : null,
  });
  const { calls } = await read(answer);
  expect(calls).toEqual([{ page: "2", limit: "10", per_page: "10" }]);
});

test("is incomplete if a total says more than came, a page fails or there are too many", async () => {
  expect(await read(() => ({ data: services(40), total: 41 }))).toMatchObject({
    count: 40,
    isComplete: false,
    total: 41,
  });
  const failing = ({ page = "1" }: Parameters) => (page === "1" ? services(100) : { error: "Too many requests" });
  expect(await read(failing)).toMatchObject({ count: 100, isComplete: false });
  const endless = ({ page = "1" }: Parameters) => services(50, Number(page) * 50);
  const { calls, ...came } = await read(endless);
  expect(came).toEqual({ count: MAX_CATALOG_CALLS * 50, isComplete: false, total: null });
  expect(calls.length).toBe(MAX_CATALOG_CALLS - 1);
  let minutes = 0;
  const slow = await read(endless, () => 60_000 * minutes++);
  expect([slow.isComplete, slow.calls.length]).toEqual([false, 1]);
});
