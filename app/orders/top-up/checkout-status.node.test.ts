import type { SQL } from "drizzle-orm";
import { getTableConfig, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { CHECKOUT_STATUSES, checkouts } from "#app/db/schema.server.ts";
import { DELETED_STATUSES, LISTED_STATUSES, UNPAID_STATUSES } from "./checkout-status.ts";
import { DELETED_LIST } from "./unpaid-checkouts.server.ts";

test("lists each checkout to its customer, or deletes it once it is old", () => {
  expect([...LISTED_STATUSES, ...DELETED_STATUSES].sort()).toEqual([...CHECKOUT_STATUSES].sort());
  expect(DELETED_STATUSES.filter((status) => !UNPAID_STATUSES.includes(status))).toEqual([]);
  expect(UNPAID_STATUSES).toEqual(["open", "pending", "failed", "expired"]);
});

test("the index of checkouts to delete spells the same statuses as the query", () => {
  const index = getTableConfig(checkouts).indexes.find(({ config }) => config.name === "checkouts_unpaid");
  expect(index?.config.where && textOf(index.config.where)).toBe(`"status" in ${textOf(DELETED_LIST)}`);
});

function textOf(query: SQL): string {
  return new SQLiteSyncDialect().sqlToQuery(query).sql;
}
