import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { ledgerFaults, openOrders, quarantine, serviceTimes } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { ORIGIN } from "#tests/workerd/support-visitor.ts";

const open = (path: string, cookie: string) => SELF.fetch(ORIGIN + path, { headers: { Cookie: cookie } });

test("shows an admin every figure with the list behind it, and others that there is no such page", async () => {
  const providerId = await sandboxProvider();
  const serviceId = await service({ providerId, providerServiceId: "1" });
  await placeOrders(["https://instagram.com/p/1"], providerId);
  await customerWith(MICRO);
  await db.insert(openOrders).values([
    { status: "Pending", fulfillment: "queued", orders: 12, late: 3, still: 2, oldestAt: 1 },
    { status: "Pending", fulfillment: "accepted", orders: 30, late: 4, still: 0, oldestAt: 5 },
  ]);
  const times = { p50Ms: 60_000, p90Ms: 7_200_000, completed: 50, partial: 0, canceled: 0, open: 9, orders: 99 };
  await db.insert(serviceTimes).values({ serviceId, ...times, late: 7 });
  await db.insert(quarantine).values({ providerId, serviceId, reason: "rise", paused: false, foundAt: 1 });
  await db.insert(ledgerFaults).values({ rule: "a rule", subject: "order 1", isNow: 1, shouldBe: 0, foundAt: 1 });

  const admin = await signedIn("admin");
  const response = await open("/admin/today", admin.cookie);
  expect(response.status).toBe(200);
  const page = (await response.text()).replaceAll("<!-- -->", "").replaceAll("&amp;", "&");
  for (const to of [
    "/admin/reports?from=",
    "/admin/orders?state=Pending",
    "/admin/orders?late=1",
    "/admin/orders?still=1",
    `/admin/orders?late=1&service=${serviceId}`,
    `/admin/services/${serviceId}`,
    `/admin/providers/${providerId}`,
    `/admin/orders?provider=${providerId}`,
    "/admin/orders?state=held",
    "/admin/orders?state=manual",
    "/admin/orders/requests#refills",
    "/admin/providers/quarantine",
    "/admin/payments?state=review",
    "/admin?view=unassigned",
  ]) {
    expect(page, to).toContain(`href="${to}`);
  }
  for (const text of [
    "The ledger doesn&#x27;t add up: 1 fault.",
    "30 at providers, 12 to be sent.",
    "9 of 10 in 2",
    "Today so far",
    "Last 30 days",
  ]) {
    expect(page, text).toContain(text);
  }
  // The first page of the console, and the number that waits beside the quarantine.
  expect(/aria-label="Console".*?href="([^"]+)"/s.exec(page)?.[1]).toBe("/admin/today");
  expect(/href="\/admin\/providers\/quarantine">Quarantine<span[^>]*>(\d+)/.exec(page)?.[1]).toBe("1");

  for (const role of ["agent", "customer"] as const) {
    const { cookie } = await signedIn(role);
    expect((await open("/admin/today", cookie)).status, role).toBe(404);
  }
  const agent = await signedIn("agent");
  expect(await (await open("/admin/replies", agent.cookie)).text()).not.toContain("/admin/today");
});
