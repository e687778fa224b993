import { expect, test } from "vitest";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { listOrderPage } from "./order-list.server.ts";

test("searches the link and the other fields' values, not their names or notation", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const serviceId = await service({ type: "Custom Comments", min: 1 });
  const link = "https://instagram.com/p/Unique";
  const fields = { link, comments: 'Nice shot\nSo "cool" 5\nÉlan' };
  const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: "1", source: "web" });
  if (!placed.ok) throw new Error(placed.fault.reason);
  const find = async (search: string) => {
    const { rows } = await listOrderPage(db, userId, { filter: "all", search, before: null }, 10);
    return rows.map(({ id }) => id);
  };
  for (const search of ["NICE", 'so "COOL"', "Élan", "INSTAGRAM", "unique", String(placed.order.id)]) {
    expect(await find(search), search).toEqual([placed.order.id]);
  }
  for (const search of ["comments", "{", "\\n", '":"']) expect(await find(search), search).toEqual([]);
});
