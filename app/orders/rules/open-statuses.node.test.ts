import type { SQL } from "drizzle-orm";
import { getTableConfig, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { cancellations, orders, refills } from "#app/db/schema.server.ts";
import {
  FOR_STAFF_LIST,
  IS_INDEXED,
  OPEN_CANCELLATION,
  OPEN_ORDER_LIST,
  OPEN_REFILL_LIST,
  POLLED_ORDER_LIST,
} from "./open-statuses.server.ts";

test("the partial indexes spell the same statuses as the queries", () => {
  const where = new Map<string, string>();
  for (const { config } of [orders, refills, cancellations].flatMap((table) => getTableConfig(table).indexes)) {
    if (config.where) where.set(config.name, textOf(config.where));
  }
  const [open, polled, openRefill, openCancellation, forStaff] = [
    OPEN_ORDER_LIST,
    POLLED_ORDER_LIST,
    OPEN_REFILL_LIST,
    OPEN_CANCELLATION,
    FOR_STAFF_LIST,
  ].map(textOf);
  const isIndexed = textOf(IS_INDEXED).replaceAll('"orders".', "");
  expect(where.get("orders_to_check")).toBe(`"fulfillment" = 'accepted' and "status" in ${polled}`);
  expect(where.get("orders_held_to_check")).toBe(
    `"fulfillment" = 'held' and "provider_order_id" is not null and "status" in ${polled}`,
  );
  expect(where.get("orders_by_hand")).toBe(`"fulfillment" = 'manual' and "is_test" = 0 and "status" in ${open}`);
  expect(where.get("orders_by_status")).toBe(`"is_test" = 0 and ${isIndexed}`);
  expect(where.get("orders_by_user_and_status")).toBe(`"is_test" = 0 and ${isIndexed}`);
  expect(where.get("refills_one_open_per_order")).toBe(`"status" in ${openRefill}`);
  expect(where.get("refills_for_staff")).toBe(`"status" in ${openRefill} and "fulfillment" in ${forStaff}`);
  expect(where.get("cancellations_for_staff")).toBe(`"status" = ${openCancellation} and "fulfillment" in ${forStaff}`);
});

function textOf(query: SQL): string {
  return new SQLiteSyncDialect().sqlToQuery(query).sql;
}
