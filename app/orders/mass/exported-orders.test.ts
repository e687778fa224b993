import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { exportOrdersCsv } from "#app/orders/list/order-export.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import type { OrderFields } from "#app/orders/rules/order-input.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { checkMassOrder } from "./check-mass-order.server.ts";
import { placeMassOrder } from "./place-mass-order.server.ts";

test("reads the product's own orders.csv back: the same services, links, quantities and fields", async () => {
  const ada = await customerWith(100 * MICRO);
  // A name that looks like a service's ID must not become one.
  const plain = await service({ name: "17", dripfeed: true });
  const seo = await service({ type: "SEO", name: "Visits, from search" });
  const pack = await service({ type: "Package" });
  const placed: [number, OrderFields][] = [
    [plain, { link: "https://example.com/a,b", quantity: "100" }],
    [plain, { link: "https://example.com/c", quantity: "24", runs: "3", interval: "10" }],
    [seo, { link: "https://example.com/d", quantity: "50", keywords: "=one\ntwo" }],
    [seo, { link: "https://example.com/e", quantity: "50", keywords: "'quoted'" }],
    [seo, { link: "https://example.com/g", quantity: "50", keywords: "one;=two\n'-three" }],
    [pack, { link: "https://example.com/f" }],
  ];
  for (const [serviceId, fields] of placed) {
    const result = await placeOrder(db, ada.userId, { serviceId, fields, idempotencyKey: null, source: "web" });
    if (!result.ok) throw new Error(result.fault.reason);
  }
  const before = await ordersOf(ada.userId);
  const text = await new Response(exportOrdersCsv(db, ada.userId, "all", "USD")).text();

  const checked = await checkMassOrder(db, ada.userId, text);
  expect(checked).toMatchObject({ ok: true, valid: 6, invalid: 0, doubtful: 6, ignoredColumns: [] });
  const agreedCharge = checked.ok ? checked.charge : 0;
  const input = {
    text,
    source: "orders.csv",
    idempotencyKey: "mass-again",
    onlyValid: false,
    agreedCharge,
    agreedDoubts: 6,
  };
  expect(await placeMassOrder(db, ada.userId, input)).toMatchObject({ ok: true });
  const all = await ordersOf(ada.userId);
  expect(all.slice(before.length)).toEqual(before);
});

async function ordersOf(userId: string) {
  const { serviceId, link, quantity, runs, intervalMinutes, providerFields } = orders;
  return db
    .select({ serviceId, link, quantity, runs, intervalMinutes, providerFields })
    .from(orders)
    .where(eq(orders.userId, userId))
    .orderBy(orders.id);
}
