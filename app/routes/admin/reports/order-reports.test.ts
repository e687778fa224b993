import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { salesDays, salesDayTotals } from "#app/db/schema.server.ts";
import { lastDays } from "#app/orders/sales/sales-period.ts";
import { MICRO } from "#app/product.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";

const YESTERDAY = lastDays(1, Date.now()).to;

beforeEach(async () => {
  await env.DB.exec("delete from sales_days; delete from sales_day_totals;");
});

const open = (path: string, cookie: string) =>
  SELF.fetch(`${ORIGIN}${path}`, { headers: { Cookie: cookie }, redirect: "manual" });

test("shows admins revenue, cost and margin in words, and exports them", async () => {
  const { cookie } = await signedIn("admin");
  const serviceId = await service({ name: "Reported followers" });
  const sums = { orders: 3, charged: 30 * MICRO, refunds: 1, refunded: 3 * MICRO, cost: 0 };
  await db.insert(salesDays).values([
    { day: YESTERDAY, serviceId, providerId: 0, ...sums },
    { day: YESTERDAY - 30, serviceId, providerId: 0, orders: 1, charged: 18 * MICRO },
  ]);
  await db.insert(salesDayTotals).values([
    { day: YESTERDAY, ...sums, byHand: 27 * MICRO },
    { day: YESTERDAY - 30, orders: 1, charged: 18 * MICRO, byHand: 18 * MICRO },
  ]);
  const page = await (await open("/admin/reports?by=service", cookie)).text();
  for (const text of ["$27.00", "$9.00 more (+50%)", "Reported followers", "2 more (+200%)"]) {
    expect(page, text).toContain(text);
  }
  expect(await (await open("/admin/reports?by=provider", cookie)).text()).toContain("By hand");
  expect(await (await open("/admin/reports?by=customer", cookie)).text()).toContain("Nothing was sold in these days");
  const csv = await (await open("/admin/exports/reports?by=service", cookie)).text();
  expect(csv).toContain(`${serviceId},Reported followers,`);
});

test("leads old links to the report of support, and agents nowhere", async () => {
  const { cookie } = await signedIn("admin");
  const moved = await open("/admin/reports?days=90", cookie);
  expect([moved.status, moved.headers.get("Location")]).toEqual([302, "/admin/reports/support?days=90"]);
  const { cookie: agent } = await signedIn("agent");
  for (const path of [
    "/admin/reports",
    "/admin/reports?by=customer",
    "/admin/reports/support",
    "/admin/exports/reports",
  ]) {
    expect((await open(path, agent)).status, path).toBe(404);
  }
});
