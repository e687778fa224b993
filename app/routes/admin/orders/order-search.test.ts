import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const GRACE = await signedIn("admin", "Grace Admin");

test("lists all orders that one id names, here and at two providers, and opens the only one", async () => {
  const { userId } = await customerWith(10_000_000);
  const [ours, first, second] = [await placed(userId), await placed(userId), await placed(userId)];
  for (const id of [first, second]) {
    await db
      .update(orders)
      .set({ providerId: await sandboxProvider(), providerOrderId: String(ours) })
      .where(eq(orders.id, id));
  }
  const { status, html } = await search(String(ours));
  expect(status).toBe(200);
  for (const id of [ours, first, second]) expect(html).toContain(`href="/admin/orders/${id}"`);
  expect(await search(String(first))).toMatchObject({ status: 302, to: `/admin/orders/${first}` });
});

test("doesn't say that no order is held when one customer has none", async () => {
  const [held, calm] = [await customerWith(10_000_000), await customerWith(0)];
  await db
    .update(orders)
    .set({ fulfillment: "held" })
    .where(eq(orders.id, await placed(held.userId)));
  const { html } = await search(calm.email, "&state=held");
  expect(html).toContain("No orders here");
  expect(html).not.toContain("No held orders");
  // A number beside "Held" would be that of all customers.
  expect(tabOf(html)).toBe("Held");
  expect(tabOf((await search(held.email, "&state=held")).html)).toBe("Held");
  expect(tabOf((await search("")).html)).toMatch(/^Held ?[1-9]/);
});

/** Returns the text of the tab of held orders. */
function tabOf(html: string): string {
  const [, link = ""] = /<a[^>]*state=held"[^>]*>(.*?)<\/a>/s.exec(html) ?? [];
  return link
    .replace(/<!-- -->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

async function placed(userId: string): Promise<number> {
  const fields = { link: "https://instagram.com/p/1", quantity: "1000" };
  const order = { serviceId: await service(), fields, idempotencyKey: null, source: "web" } as const;
  const done = await placeOrder(db, userId, order);
  if (!done.ok) throw new Error(JSON.stringify(done.fault));
  return done.order.id;
}

async function search(text: string, more = "") {
  const response = await SELF.fetch(`${SITE}/admin/orders?q=${encodeURIComponent(text)}${more}`, {
    headers: { Cookie: GRACE.cookie },
    redirect: "manual",
  });
  return { status: response.status, to: response.headers.get("Location"), html: await response.text() };
}
