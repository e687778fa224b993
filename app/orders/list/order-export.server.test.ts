import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { exportOrdersCsv } from "./order-export.server.ts";

test("exports one's own orders, oldest first, by their status, and no one else's", async () => {
  const serviceId = await service({ type: "SEO", name: "Visits" });
  const [ada, other] = [await customerWith(MICRO), await customerWith(MICRO)];
  const place = async (userId: string, link: string) => {
    const fields = { link, quantity: "100", keywords: "=one\ntwo" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
    if (!placed.ok) throw new Error(placed.fault.reason);
    return placed.order.id;
  };
  const done = await place(ada.userId, "https://example.com/done");
  await place(other.userId, "https://example.com/theirs");
  const open = await place(ada.userId, "https://example.com/open");
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.id, done));

  const exported = (filter: Parameters<typeof exportOrdersCsv>[2]) =>
    new Response(exportOrdersCsv(db, ada.userId, filter, "USD")).text();
  const all = await exported("all");
  expect(all).toMatch(/^order,.*charge_USD,refunded_USD/);
  expect([...all.matchAll(/https:\/\/example\.com\/\w+/g)].map(([link]) => link)).toEqual([
    "https://example.com/done",
    "https://example.com/open",
  ]);
  expect(all).toContain("Visits");
  // A list starts with an apostrophe, so that no spreadsheet runs it.
  expect(all).toContain(`"'=one\ntwo"`);
  const lineOf = (text: string, id: number) => new RegExp(`^${id},`, "m").test(text);
  expect([lineOf(await exported("open"), done), lineOf(await exported("open"), open)]).toEqual([false, true]);
  expect([lineOf(await exported("Completed"), done), lineOf(await exported("Completed"), open)]).toEqual([true, false]);
});
