import { SELF } from "cloudflare:test";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const MAX_BYTES = 256 * 1024;

test("shows 50 orders that can be repeated, refilled or canceled in less than 256 KB", async () => {
  const { userId, cookie } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 100 * MICRO, note: "test" });
  const name = "Instagram followers, real and active, refilled for 30 days, up to 50,000 a day";
  const serviceId = await service({ name, refill: true, cancel: true });
  for (let n = 0; n < 50; n++) {
    const fields = { link: `https://www.instagram.com/growing.account/p/${n}?igsh=MzRlODBiNWFlZA==`, quantity: "1000" };
    const placed = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
    if (!placed.ok) throw new Error(placed.fault.reason);
  }
  await db.update(orders).set({ status: sql`iif(${orders.id} % 2, 'Completed', 'In progress')` });
  const page = await SELF.fetch("https://growline.example/dashboard/orders", { headers: { Cookie: cookie } });
  const html = await page.text();
  expect(new Set(html.match(/href="\/dashboard\/orders\/\d+"/g)).size).toBe(50);
  expect([html.match(/Refill order \d+"/g)?.length, html.match(/Cancel order \d+"/g)?.length]).toEqual([25, 25]);
  expect(new TextEncoder().encode(html).byteLength).toBeLessThan(MAX_BYTES);
});
