import { SELF } from "cloudflare:test";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { RESOURCE_EXPORTS } from "#app/console/stores/all-stores.server.ts";
import { REPORT_SUBJECTS } from "#app/orders/reports/report-query.ts";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { fillLists, YESTERDAY } from "#tests/workerd/list-fill.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import exportSource from "./list-export.ts?raw";

/** More rows than any page shows. */
const ROWS = 130;

/** What an export is asked for besides, where it has no rows without. A list can have several. */
const QUERIES: Record<string, string[]> = {
  codes: ["batch=1"],
  "tier-services": ["tier=1"],
  emails: ["state=failed", "state=waiting", "state=suppressed"],
  orders: ["state=all"],
  payments: ["state=all"],
  reports: REPORT_SUBJECTS.map((by) => `by=${by}&from=${dateOf(YESTERDAY - ROWS)}&to=${dateOf(YESTERDAY)}`),
};

test("exports all rows of every list of the console, also more than a page of it", async () => {
  const written = [...exportSource.matchAll(/^ {2}"?([\w-]+)"?: export\w+,$/gm)].map(([, name = ""]) => name);
  const lists = [...written, ...Object.keys(RESOURCE_EXPORTS)];
  expect(lists.length).toBeGreaterThan(15);
  const userId = await fillLists(ROWS);
  const { cookie } = await storedSignIn("admin");
  const cut: string[] = [];
  for (const list of lists) {
    for (const query of QUERIES[list] ?? [list === "entries" ? `customer=${userId}` : ""]) {
      const answer = await SELF.fetch(`${SITE}/admin/exports/${list}?${query}`, { headers: { Cookie: cookie } });
      const rows: unknown[] = parse(await answer.text(), { bom: true, columns: true });
      if (rows.length < ROWS) cut.push(`${list}?${query}: ${rows.length}`);
    }
  }
  expect(cut).toEqual([]);
});
